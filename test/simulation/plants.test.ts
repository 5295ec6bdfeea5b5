import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { plants } = (await import(join(root, 'scripts/plants.mjs'))) as {
  readonly plants: readonly { readonly name: string; readonly file: string; readonly from: string }[];
};

describe('plants', () => {
  it('each replace a piece of the code that is there once', () => {
    const lost = plants.filter(({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2);
    expect(lost.map(({ name }) => name)).toEqual([]);
  });
});
