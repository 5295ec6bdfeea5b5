/**
 * Uses the packed package with each RxJS that is supported, and with the next one. Then runs the tests of operators, and of what is built on
 * them, with each: npm run rxjs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack, rxjsVersions, useDoors } from './useDoors.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = (args, env) =>
  spawnSync(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' }).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'trawler-rxjs-'));
try {
  if (!node(['scripts/build.mjs'])) throw new Error('the build failed');
  const tarball = pack(folder);
  for (const rxjs of rxjsVersions) console.log(useDoors(tarball, folder, rxjs));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given : ['test/operators', 'test/client/admission', 'test/client/createClient.test.ts', 'test/testing'];
const failed = ['rxjs-7.5', 'rxjs', 'rxjs-8'].filter((rxjs) => {
  console.log(`\n${rxjs}`);
  return !node(['node_modules/vitest/vitest.mjs', 'run', ...files], { TRAWLER_RXJS: rxjs });
});
if (failed.length > 0) console.error(`\nThe tests fail with ${failed.join(', ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;
