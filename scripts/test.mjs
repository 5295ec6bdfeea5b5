// npm test: builds the package, then runs the tests, and beside them the linter, since tests also wait for disks and child processes.
// The linter also checks types, which takes less CPU than a second program that reads everything anew; types that can't be declared
// fail the build. What the linter says stands at the end. If it fails, the tests stop. Arguments are Vitest's.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// The compiler and the linter are written in Go: collecting garbage takes a third of their CPU.
const env = { ...process.env, GOGC: 'off' };
/** What the linter does beside the tests on two cores takes a tenth more CPU than on one. */
const onOneCore = { GOMAXPROCS: '1' };

/** Runs a command in the repository. `ended` is its exit code, and what it said if that wasn't printed. */
function run([command, args], output, more = {}) {
  const child = spawn(command, args, { cwd: root, env: { ...env, ...more }, stdio: ['ignore', output, output] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, said }))) };
}

const build = await run(npm('run', '--silent', 'build'), 'inherit').ended;
if (build.code !== 0) process.exit(build.code);
const tests = run([process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...process.argv.slice(2)]], 'inherit');
const lint = await run(npm('run', '--silent', 'lint'), 'pipe', onOneCore).ended;
if (lint.code !== 0) tests.child.kill('SIGINT');
const { code } = await tests.ended;
console.log(`npm run lint, which checks types too: ${lint.code === 0 ? 'passed' : `failed\n${lint.said}`}`);
process.exitCode = lint.code === 0 ? code : 1;
