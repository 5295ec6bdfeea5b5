/**
 * Runs the whole test suite on each Node that is supported: npm run versions, or npm run versions -- 22 24. Arguments behind
 * the versions go to the tests: npm run versions -- 26 test/sinks.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeOf } from './nodeOf.mjs';
import { npm } from './npm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const named = given.filter((arg) => /^\d+(\.\d+)*$/.test(arg));
const files = given.filter((arg) => !named.includes(arg));
const failed = [];

execFileSync(...npm('run', 'build', '--silent'), { cwd: root, stdio: 'inherit' });
for (const version of named.length > 0 ? named : ['20', '22', '24', '26']) {
  const node = nodeOf(version, root);
  const exact = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`\nNode ${exact}`);
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...files], { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed.push(exact);
}
if (failed.length > 0) {
  console.error(`\nThe tests fail on ${failed.join(', ')}.`);
  process.exit(1);
}
console.log('\nThe tests pass on each of them.');
