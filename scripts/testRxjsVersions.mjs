/** Runs the tests of operators, and of what is built on them, with each RxJS that is supported, and with the next one: npm run rxjs. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const files = given.length > 0 ? given : ['test/operators', 'test/client/admission', 'test/client/createClient.test.ts', 'test/testing'];
const failed = ['rxjs-7.5', 'rxjs', 'rxjs-8'].filter((rxjs) => {
  console.log(`\n${rxjs}`);
  const env = { ...process.env, TRAWLER_RXJS: rxjs };
  return (
    spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], { cwd: root, env, stdio: 'inherit' }).status !== 0
  );
});
if (failed.length > 0) console.error(`\nThe tests fail with ${failed.join(', ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;
