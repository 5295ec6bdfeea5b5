// Runs the tests that a change touches, against main, with what isn't committed: pickTests says which. Slow ones are left out,
// unless they have changed themselves: they are for `npm test`.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pickTests } from './pickTests.mjs';
import { slowTests } from './slowTests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
/** Rules of the whole tree that are checked in a second. */
const always = ['test/rooms.test.ts', 'test/optionDefaults.test.ts'];

const [base] = git('merge-base', 'HEAD', process.argv[2] ?? 'main');
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
const deleted = new Set(git('ls-files', '--deleted'));
const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter((path) => !deleted.has(path));
const picked = pickTests(changed, files, (path) => readFileSync(`${root}${path}`, 'utf8'), slowTests);
console.log(`${changed.length} files have changed since ${base.slice(0, 7)}; ${picked.length} quick test files are about them.`);
const vitest = [`${root}node_modules/vitest/vitest.mjs`, 'run', ...new Set([...always, ...picked])];
const { status } = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
