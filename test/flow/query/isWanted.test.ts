import { describe, expect, it } from 'vitest';
import { parsePath } from '../../../src/contract/valuesAt.ts';
import type { Condition } from '../../../src/flow/definition/flowFormat.ts';
import { isWanted } from '../../../src/flow/query/bindQueries.ts';

describe('isWanted', () => {
  it.each<[row: object, field: string, condition: Condition, wanted: boolean]>([
    [{ l: [{ k: 'x' }, { k: 'y' }] }, 'l[].k', { '!=': 'x' }, true],
    [{ l: [{ k: 'x' }] }, 'l[].k', { '!=': 'x' }, false],
    [{ l: [] }, 'l[].k', { '!=': 'x' }, false],
    [{}, 'l[].k', { '!=': 'x' }, false],
    [{ l: [{}] }, 'l[].k', { '!=': 'x' }, true],
    [{ l: [] }, 'l[]', { '!=': 'x' }, false],
    [{ l: ['y'] }, 'l[]', { '!=': 'x' }, true],
    [{}, 'k', { '!=': 'x' }, true],
    [{ l: [] }, 'l[].k', { exists: false }, true],
    [{ l: [] }, 'l', { exists: true }, false],
    [{ l: [] }, 'l', { exists: false }, true],
    [{ l: {} }, 'l', { exists: true }, false],
    [{ l: [0] }, 'l', { exists: true }, true],
    [{ n: 0 }, 'n', { exists: true }, true],
    [{ n: '12.5' }, 'n', { '>': 12 }, true],
    [{ n: '0x1F' }, 'n', { '>': 12 }, false],
    [{ n: ' ' }, 'n', { '<': 12 }, false],
    [{ n: [] }, 'n', { '<': 12 }, false],
    [{ n: true }, 'n', { '<': 12 }, false],
  ])('%j with %s %j is wanted: %s', (row, field, condition, wanted) => {
    expect(isWanted(row, [[parsePath(field)!, condition]])).toBe(wanted);
  });
});
