import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { plants } from '../../scripts/plants.mjs';

const textOf = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

describe('plants', () => {
  it('each change a piece of the code that is there once', () => {
    const lost = plants.filter(({ file, from }) => textOf(file).split(from).length !== 2);
    expect(lost.map(({ name }) => name)).toEqual([]);
  });
});
