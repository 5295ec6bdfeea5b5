import { basename, dirname, join } from 'node:path/posix';

const isTest = (path) => path.endsWith('.test.ts');
const isDoor = (path) => basename(path) === 'index.ts' || path === 'src/operators.ts';
const nameOf = (path) => basename(path).replace(/\.(test\.)?\w+$/, '');
/** The folder of tests that a file belongs to. */
const roomOf = (path) => `test/${path.replace(/^(src|test)\//, '').split('/')[0]}/`;
/** Of more tests than these, only the nearest are picked. */
const enough = 12;

/**
 * The tests that a change touches: tests that have changed, and for each other file those of its room that have its name, and
 * those that import it. Where there are none, those of the files that import it, and so on. Every test imports a door of the package,
 * so a door leads only to tests of its own room.
 *
 * @param {readonly string[]} changed paths from the root
 * @param {readonly string[]} files all files
 * @param {(path: string) => string} read the text of a file
 * @param {readonly string[]} slow tests that are only picked if they have changed
 * @returns {string[]} sorted
 */
export function pickTests(changed, files, read, slow = []) {
  const importers = new Map();
  for (const path of files.filter((one) => /^(src|operators|test)\/.*\.ts$/.test(one))) {
    for (const [, relative] of read(path).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const imported = join(dirname(path), relative);
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  const tests = files.filter((one) => isTest(one) && (changed.includes(one) || !slow.includes(one)));
  const nearest = (path) => {
    const room = roomOf(path);
    const seen = new Set([path]);
    for (let level = [path]; level.length > 0;) {
      const names = new Set(level.filter((one) => !isDoor(one)).map(nameOf));
      const above = new Set(level.flatMap((one) => (importers.get(one) ?? []).filter((by) => !isDoor(one) || by.startsWith(room))));
      const named = tests.filter((one) => one.startsWith(room) && names.has(nameOf(one)));
      const importing = tests.filter((one) => above.has(one));
      const inRoom = importing.filter((one) => one.startsWith(room));
      const found = new Set([...named, ...inRoom, ...importing]);
      if (found.size > 0) return [...found].slice(0, enough);
      level = [...above].filter((one) => !seen.has(one) && seen.add(one));
    }
    return [];
  };
  const picked = changed.flatMap((path) => {
    if (path.endsWith('.md')) return ['test/docs.test.ts'];
    if (!isTest(path)) return nearest(path);
    return tests.includes(path) ? [path] : [];
  });
  return [...new Set(picked)].sort();
}
