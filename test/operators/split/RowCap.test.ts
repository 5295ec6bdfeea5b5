import { describe, expect, it } from 'vitest';
import { RowCap } from '../../../operators/split/RowCap.ts';

describe('RowCap', () => {
  it.each<[string, readonly number[], number, boolean]>([
    ['so many that the operation says there may be more', [], 100, true],
    ['two full pages and nothing after them', [], 40, true],
    ['two full pages, and up to four rows from beyond the view', [], 44, true],
    ['one full page', [], 20, false],
    ['five rows beside two full pages', [], 45, false],
    ['an odd number', [], 57, false],
    ['as many as two searches had, and none had more', [57, 30, 57], 57, true],
    ['nearly as many', [57, 57], 56, true],
    ['fewer', [57, 57], 40, false],
    ['two searches had as many, but one had more', [57, 57, 80], 57, false],
    ['two small searches had as many', [3, 3], 3, false],
    ['up to four of them came from beyond the view', [24, 22], 20, true],
    ['more than four fewer', [24, 22], 19, false],
  ])('%s: after %j, %i rows: %s', (_, before, rows, cuts) => {
    const cap = new RowCap({ full: 100, pageSize: 20 });
    for (const count of before) cap.count(count);
    expect(cap.cuts(rows)).toBe(cuts);
  });

  it('ends walks once two searches end at the same number, until one has more', () => {
    const cap = new RowCap({ full: 100, pageSize: 20 });
    const caps = [50, 50, 50, 60, 60].map((rows) => {
      cap.count(rows);
      return cap.cap;
    });
    expect(caps).toEqual([Infinity, 50, 50, Infinity, 60]);
  });
});
