import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const { publicTypes } = (await import(join(root, 'scripts/publicTypes.mjs'))) as {
  readonly publicTypes: (dist: string, doors: { readonly [door: string]: string }) => string;
};

describe('publicTypes', () => {
  // Written anew by `npx vitest run test/publicTypes.test.ts --update`. A review reads what has changed.
  it('is the list that is committed: a change of a public type shows in review', async () => {
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly exports: { readonly [door: string]: string | { readonly types: string } };
    };
    // The types of vendors are their data.
    const doors = Object.entries(exports).flatMap(([door, to]) =>
      typeof to === 'string' || door.startsWith('./services/') ? [] : [[`trawler${door.slice(1)}`, to.types.replace('./dist/', '')]],
    );
    await expect(publicTypes(inject('dist'), Object.fromEntries(doors))).toMatchFileSnapshot('publicTypes.txt');
  });

  it('has what exported types lead to, through imports, and no comments', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-types-'));
    try {
      await writeFile(join(folder, 'index.d.ts'), "export { run, type Options as RunOptions } from './run.js';\n");
      await writeFile(
        join(folder, 'run.d.ts'),
        `import type { Kind as Sort } from './kind.js';
/** Says { nothing; }. */
export interface Options { readonly kind: Sort; }
type Unused = 1;
export declare function run(options: Options): Result;
export declare function run(): void;
interface Result { readonly text: 'a; // b'; }
`,
      );
      await writeFile(join(folder, 'kind.d.ts'), "export type Kind = 'a' | 'b';\n");
      expect(publicTypes(folder, { door: 'index.d.ts' })).toBe(`## door

RunOptions, run

## Declarations

type Kind = 'a' | 'b';

interface Options { readonly kind: Sort; }

interface Result { readonly text: 'a; // b'; }

declare function run(options: Options): Result;
declare function run(): void;
`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
