import { describe, expect, it } from 'vitest';
import { seeded } from '../../files/seeded.ts';
import type { RowSample } from '../../../operators/split/RangeSight.ts';
import { isSameOrder, rankedRows, reachBack, sizeByRanks } from '../../../operators/split/rowRanks.ts';

/** A thousand rows, the best first. Their ids are their ranks in thousandths. */
const random = seeded(7);
const rows = Array.from({ length: 1000 }, (_, id) => ({ id, place: Math.floor(random() * 1000) }));
const between = (first: number, last: number): typeof rows => rows.filter(({ place }) => place >= first && place <= last);
const idsOf = (found: typeof rows): number[] => found.map(({ id }) => id);
const sample = (first: number, last: number): RowSample => ({
  last,
  from: first - 1,
  places: [],
  rows: between(first, last).length,
  returned: 100,
  listed: idsOf(between(first, last).slice(0, 100)),
});
const before = (first: number, last: number): ReturnType<typeof rankedRows> => {
  const found = between(first, last);
  return rankedRows([sample(0, 999)], idsOf(found), found.map(({ place }) => place)); // prettier-ignore
};

describe('rankedRows', () => {
  it('tells which share of all rows the service lists before the last rows of a piece', () => {
    const ranked = before(0, 79);
    expect(ranked).toHaveLength(20);
    expect(ranked.map(({ place }) => place)).toEqual(ranked.map(({ place }) => place).toSorted((one, other) => one - other));
    for (const { id, rank, doubt } of ranked)
      expect(Math.abs(Math.log(rank / ((id + 0.5) / 1000)))).toBeLessThan(3 * Math.sqrt(doubt) + 0.1);
  });
});

describe('sizeByRanks', () => {
  it.each([300, 500, 800])('tells how many rows a full query has from some rows before it: up to place %d', (last) => {
    const known = before(0, 79);
    const from = reachBack(known, last - 79, 100)!;
    const size = sizeByRanks({ rows: 150, deviation: 100 }, idsOf(between(from, last).slice(0, 100)), known, []);
    const real = between(from, last).length;
    expect(Math.abs(size.rows - real) / real).toBeLessThan(0.4);
    expect(size.deviation / size.rows).toBeLessThan(0.4);
  });

  it('tells it from the rows of a full query that ends within this one', () => {
    const size = sizeByRanks({ rows: 150, deviation: 100 }, idsOf(between(300, 900).slice(0, 100)), [], [sample(200, 450)]);
    expect(Math.abs(size.rows - between(300, 900).length)).toBeLessThan(240);
  });

  it('keeps what was expected where no row comes again', () => {
    const expected = { rows: 150, deviation: 100 };
    expect(sizeByRanks(expected, idsOf(between(500, 900).slice(0, 100)), before(0, 79), [])).toBe(expected);
  });
});

describe('isSameOrder', () => {
  it('compares the rows that two queries have in common', () => {
    const ids = idsOf(between(0, 79));
    expect(isSameOrder([sample(0, 400)], ids)).toBe(true);
    expect(isSameOrder([sample(0, 400)], ids.toReversed())).toBe(false);
    expect(isSameOrder([sample(500, 900)], ids)).toBeUndefined();
  });
});
