import { describe, expect, it } from 'vitest';
import { RowCap } from '../../../operators/split/RowCap.ts';

describe('RowCap', () => {
  it.each<[string, readonly number[], number, boolean]>([
    ['so many that the operation says there may be more', [], 100, true],
    ['two full pages and nothing after them', [], 40, true],
    ['one full page', [], 20, false],
    ['an odd number', [], 57, false],
    ['as many as two searches had, and none had more', [57, 30, 57], 57, true],
    ['nearly as many', [57, 57], 56, true],
    ['fewer', [57, 57], 40, false],
    ['two searches had as many, but one had more', [57, 57, 80], 57, true],
    ['two small searches had as many', [3, 3], 3, false],
  ])('%s: after %j, %i rows: %s', (_, before, rows, cuts) => {
    const cap = new RowCap({ full: 100, pageSize: 20 });
    for (const count of before) cap.count(count);
    expect(cap.cuts(rows)).toBe(cuts);
  });

  it('is known once two searches end at the same number, until one has more', () => {
    const cap = new RowCap({ full: 100, pageSize: 20 });
    expect([50, 50, 50, 60, 60].map((rows) => [cap.count(rows), cap.cap])).toEqual([
      [false, Infinity],
      [true, 50],
      [false, 50],
      [false, Infinity],
      [true, 60],
    ]);
  });
});
