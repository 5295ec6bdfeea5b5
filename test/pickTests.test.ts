import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const { pickTests } = (await import(`${root}scripts/pickTests.mjs`)) as {
  readonly pickTests: (
    changed: readonly string[],
    files: readonly string[],
    read: (path: string) => string,
    slow?: readonly string[],
  ) => string[];
};
const { slowTests } = (await import(`${root}scripts/slowTests.mjs`)) as { readonly slowTests: readonly string[] };

/** A tree of files, with what each imports. */
const tree: { readonly [path: string]: readonly string[] } = {
  'src/flow/index.ts': ['./run/runFlow.ts'],
  'src/flow/run/runFlow.ts': ['./takePage.ts', '../../files/blocks.ts'],
  'src/flow/run/takePage.ts': ['./counted.ts'],
  'src/flow/run/counted.ts': [],
  'src/files/blocks.ts': [],
  'src/publish/index.ts': ['./publishFolder.ts'],
  'src/publish/publishFolder.ts': [],
  'docs/flows.md': [],
  'test/files/blocks.test.ts': ['../../src/files/blocks.ts'],
  'test/flow/rig.ts': ['../../src/flow/index.ts'],
  'test/flow/runFlow.test.ts': ['./rig.ts'],
  'test/flow/kill.test.ts': ['./rig.ts', '../../src/flow/run/takePage.ts'],
  'test/publish/folder.test.ts': ['../../src/publish/index.ts'],
  'test/cli/publish.test.ts': ['../../src/publish/index.ts'],
  'test/docs.test.ts': [],
};
const pick = (changed: readonly string[], slow: readonly string[] = []): readonly string[] =>
  pickTests(changed, Object.keys(tree), (path) => tree[path]!.map((one) => `import { x } from '${one}';`).join('\n'), slow);

describe('pickTests', () => {
  it.each<[string, string, readonly string[]]>([
    ['a test that has changed', 'test/flow/kill.test.ts', ['test/flow/kill.test.ts']],
    ['no test that was deleted', 'test/flow/deleted.test.ts', []],
    ['tests of that name in the room', 'src/flow/run/runFlow.ts', ['test/flow/runFlow.test.ts']],
    ['tests that import the file', 'src/flow/run/takePage.ts', ['test/flow/kill.test.ts']],
    ['both', 'src/files/blocks.ts', ['test/files/blocks.test.ts']],
    ['tests of the files that import it, where it has none', 'src/flow/run/counted.ts', ['test/flow/kill.test.ts']],
    ['tests that share a helper', 'test/flow/rig.ts', ['test/flow/kill.test.ts', 'test/flow/runFlow.test.ts']],
    ['through a door, only tests of its room', 'src/publish/publishFolder.ts', ['test/publish/folder.test.ts']],
    ['those of documents', 'docs/flows.md', ['test/docs.test.ts']],
    ['nothing for other files', 'package.json', []],
  ])('picks %s', (_, changed, picked) => {
    expect(pick([changed])).toEqual(picked);
  });

  it('leaves out slow tests that have not changed, and picks the next ones', () => {
    const slow = ['test/flow/kill.test.ts'];
    expect(pick(['src/flow/run/takePage.ts'], slow)).toEqual(['test/flow/runFlow.test.ts']);
    expect(pick(['src/flow/run/takePage.ts', 'test/flow/kill.test.ts'], slow)).toEqual(slow);
  });

  it('picks each test once, and a dozen for a file at most', () => {
    const many = Array.from({ length: 40 }, (_, nth) => `test/flow/${nth}.test.ts`);
    const read = (path: string): string => (many.includes(path) ? "import { x } from '../../src/flow/run/takePage.ts';" : '');
    expect(pickTests(['src/flow/run/takePage.ts', many[0]!], [...many, 'src/flow/run/takePage.ts'], read)).toHaveLength(12);
  });

  it('has a quick test for nearly every file of ours', () => {
    const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((path) => path !== '' && existsSync(root + path));
    const texts = new Map(files.filter((path) => path.endsWith('.ts')).map((path) => [path, readFileSync(root + path, 'utf8')]));
    const sources = files.filter((path) => /^(src|operators)\/.*\.ts$/.test(path) && !/^src\/(show\/page|services\/\w+)\//.test(path));
    const tried = sources.filter((_, nth) => nth % 20 === 0);
    const picked = tried.map((path) => pickTests([path], files, (one) => texts.get(one)!, slowTests));
    expect(picked.flat().filter((path) => slowTests.includes(path))).toEqual([]);
    expect(picked.filter(({ length }) => length === 0).length).toBeLessThan(tried.length / 10);
  });
});

describe('slowTests', () => {
  it('are there', () => {
    expect(slowTests.filter((path) => !existsSync(root + path))).toEqual([]);
  });
});
