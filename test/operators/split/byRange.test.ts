import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { byDates, byRange, items, splitWhenFull, type Split, type SplitSummary } from '../../../operators/index.ts';
import { fakeFactory, offsetPaging, type FakeQuery } from '../fakeFactory.ts';
import { cap, limit, rangeKinds, rangeWorld, type RangeWorld } from './rangeWorlds.ts';

interface Found {
  readonly ids: readonly number[];
  readonly searches: readonly FakeQuery[];
  readonly summary: SplitSummary<FakeQuery>;
}

/** What `split` finds in a world whose search reads its bounds with `bounds`, and returns all rows of a search at once. */
async function find(
  world: RangeWorld,
  split: Split<FakeQuery>,
  bounds: (query: FakeQuery) => readonly [number, number],
  query: FakeQuery = { q: 'a' },
): Promise<Found> {
  const searches: FakeQuery[] = [];
  let summary: SplitSummary<FakeQuery> | undefined;
  const factory = fakeFactory(offsetPaging, (asked) => {
    if (Number(asked['page'] ?? 0) > 0) return { rows: [] };
    searches.push(asked);
    return { rows: world.search(...bounds(asked)).map((id) => ({ id })) };
  });
  const rows$ = of(query).pipe(
    splitWhenFull(factory, { split, full: cap, by: 'id', summary: { next: (one) => (summary = one) } }),
    items(),
  );
  const rows = await lastValueFrom(rows$.pipe(toArray()));
  return { ids: rows.map((row) => Number(row['id'])), searches, summary: summary! };
}

const byCents = (query: FakeQuery): readonly [number, number] => [
  Math.round(Number(query['min'] ?? 0) * 100),
  Math.round(Number(query['max'] ?? 1e9) * 100),
];
const prices = { params: ['min', 'max'], from: 0, to: limit / 100, step: 0.01 } as const;
const all = Array.from({ length: 10_000 }, (_, id) => id);

describe('byRange', () => {
  it.each(Object.keys(rangeKinds))(
    'finds 10,000 rows under a cap of 100 with at most 1.5 times the searches of an oracle: %s',
    async (kind) => {
      const ratios: number[] = [];
      for (let seed = 0; seed < 12; seed++) {
        const world = rangeWorld(kind, seed);
        const { ids, searches, summary } = await find(world, byRange(prices), byCents);
        expect(ids.toSorted((one, other) => one - other)).toEqual(all);
        expect(summary.full).toEqual([]);
        ratios.push(searches.length / world.oracle);
      }
      expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThanOrEqual(1.5);
    },
  );

  it('asks for each value in one piece only, and leaves no gap between pieces', async () => {
    const { searches } = await find(rangeWorld('uniform', 1), byRange(prices), byCents);
    const bounds = searches.map(byCents).toSorted(([one], [other]) => one - other);
    const whole = bounds.filter(
      ([first, last]) => rangeWorld('uniform', 1).values.filter((value) => value >= first && value <= last).length < cap,
    );
    for (const [index, [first]] of whole.entries()) expect(first).toBe(index === 0 ? 0 : whole[index - 1]![1] + 1);
    expect(whole.at(-1)![1]).toBeGreaterThanOrEqual(limit);
  });

  it('works where the service leaves out rows on the upper bound', async () => {
    const world = rangeWorld('whole prices', 2);
    const halfOpen = (query: FakeQuery): readonly [number, number] => {
      const [first, last] = byCents(query);
      return [first, query['max'] === undefined ? last : last - 1];
    };
    const { ids } = await find(world, byRange({ ...prices, step: 1, upper: 'excluded' }), halfOpen);
    expect(ids.toSorted((one, other) => one - other)).toEqual(all);
  });

  it('finds rows beyond the ends in the outermost pieces, and keeps the bounds that a query has', async () => {
    const world = rangeWorld('uniform', 3);
    const narrow = byRange<FakeQuery>({ ...prices, from: 1, to: 499 });
    expect((await find(world, narrow, byCents)).ids).toHaveLength(10_000);
    const { ids, searches } = await find(world, byRange(prices), byCents, { min: 100, max: 200.5 });
    expect(ids.toSorted((one, other) => one - other)).toEqual(
      all.filter((id) => world.values[id]! >= 10_000 && world.values[id]! <= 20_050),
    );
    expect(searches.every(({ min, max }) => Number(min) >= 100 && Number(max) <= 200.5)).toBe(true);
  });

  it('reports a single value that is full, and goes on behind it', async () => {
    const values = [...Array.from({ length: 300 }, () => 4200), ...Array.from({ length: 700 }, (_, index) => index * 70 + 1)];
    const world: RangeWorld = {
      values,
      oracle: 0,
      search: (first, last) => values.flatMap((value, id) => (value >= first && value <= last ? [id] : [])).slice(0, cap),
    };
    const { ids, summary } = await find(world, byRange(prices), byCents);
    expect(new Set(ids).size).toBe(800);
    expect(summary.full).toEqual([{ q: 'a', min: 42, max: 42 }]);
  });

  it.each<[string, () => unknown]>([
    ['two parameters', () => byRange({ params: ['a', 'a'], from: 0, to: 1 })],
    ['below to', () => byRange({ params: ['a', 'b'], from: 2, to: 1 })],
    ['a day such as 2020-01-31', () => byDates({ params: ['a', 'b'], from: '2020-02-30' })],
    ['before to', () => byDates({ params: ['a', 'b'], from: '2020-02-03', to: '2020-02-01' })],
  ])('refuses options that cannot be: %s', (message, make) => {
    expect(make).toThrow(message);
  });
});

describe('byDates', () => {
  const start = Date.UTC(2015, 0, 1);
  const dayOf = (date: FakeQuery[string], or: number): number =>
    date === undefined ? or : Math.round((Date.parse(String(date)) - start) / 86_400_000);
  /** A row per day or so, over eleven years. */
  const world = (seed: number): RangeWorld => {
    const { values } = rangeWorld('uniform', seed, 8000);
    const days = values.map((value) => Math.floor(value / 12.5));
    const ids = days.map((day, id) => ({ day, id }));
    return {
      values: days,
      oracle: 0,
      search: (first, last) =>
        ids
          .filter(({ day }) => day >= first && day <= last)
          .slice(0, cap)
          .map(({ id }) => id),
    };
  };

  it('finds all rows, day by day at the narrowest', async () => {
    const { ids, summary } = await find(
      world(1),
      byDates({ params: ['after', 'before'], from: '2015-01-01', to: '2025-12-31' }),
      (query) => [dayOf(query['after'], 0), dayOf(query['before'], 1e6)],
    );
    expect(new Set(ids).size).toBe(8000);
    expect(summary.full).toEqual([]);
  });

  it.each(['included', 'excluded'] as const)('writes seconds, with the upper bound %s', async (upper) => {
    const places = (query: FakeQuery): readonly [number, number] => {
      const at = (value: unknown, or: number): number => (value === undefined ? or : (Number(value) * 1000 - start) / 86_400_000);
      const last = at(query['before'], 1e6);
      return [at(query['after'], 0), upper === 'excluded' ? Math.ceil(last) - 1 : Math.floor(last)];
    };
    const { ids } = await find(
      world(2),
      byDates({ params: ['after', 'before'], from: '2015-01-01', to: '2025-12-31', as: 'seconds', upper }),
      places,
    );
    expect(new Set(ids).size).toBe(8000);
  });
});
