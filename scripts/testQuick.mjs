// Runs the tests that a change touches: those that it changes, those of the same name as a changed file, and those that import it
// directly. Against main, with what isn't committed. All other tests are for `npm test`.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
/** Rules of the whole tree that are checked in a second. */
const always = ['test/rooms.test.ts', 'test/optionDefaults.test.ts'];

const [base] = git('merge-base', 'HEAD', process.argv[2] ?? 'main');
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
const tests = git('ls-files', '--cached', '--others', '--exclude-standard', 'test').filter((path) => path.endsWith('.test.ts'));
const names = new Set(changed.filter((path) => /^(src|operators|test)\/.*\.ts$/.test(path)).map((path) => basename(path)));

const touched = tests.filter((test) => {
  if (changed.includes(test)) return true;
  const named = basename(test).replace('.test.ts', '.ts');
  if (names.has(named)) return true;
  const imported = readFileSync(`${root}${test}`, 'utf8').matchAll(/from '[./][^']*?([^/']+\.ts)'/g);
  return [...imported].some(([, name]) => name !== 'index.ts' && names.has(name));
});
console.log(
  `${changed.length} files have changed since ${base.slice(0, 7)}; ${touched.length} of ${tests.length} test files are about them.`,
);
const { status } = spawnSync('npx', ['vitest', 'run', ...new Set([...always, ...touched])], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
