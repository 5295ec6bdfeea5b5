import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { byDates, byRange, items, splitWhenFull, type Split, type SplitSummary } from '../../../operators/index.ts';
import { fakeFactory, offsetPaging, type FakeQuery } from '../fakeFactory.ts';
import { cap, dateWorld, days, limit, rangeKinds, rangeWorld, type RangeWorld } from './rangeWorlds.ts';

interface Found {
  readonly ids: readonly number[];
  readonly searches: readonly FakeQuery[];
  readonly summary: SplitSummary<FakeQuery>;
}

/** What a search returns: all its rows on one page, or pages of twenty with the number of all rows. */
type Service = 'only ids' | 'values' | 'pages and a claim';

/** What `split` finds in a world whose search reads its bounds with `bounds`. */
async function find(
  world: RangeWorld,
  split: Split<FakeQuery>,
  bounds: (query: FakeQuery) => readonly [number, number],
  query: FakeQuery = { q: 'a' },
  service: Service = 'only ids',
  shown: (value: number) => object = (value) => ({ price: { text: `$${(value / 100).toFixed(2)}` } }),
): Promise<Found> {
  const searches: FakeQuery[] = [];
  let summary: SplitSummary<FakeQuery> | undefined;
  const size = service === 'pages and a claim' ? 20 : cap;
  const claims = { claims: { at: 'total' } };
  const whole = (id: number): object => ({
    id,
    place: (id * 7) % 100,
    ...shown(world.values[id]!),
    stars: (id % 9) / 2,
  });
  const factory = fakeFactory(offsetPaging, (asked) => {
    const from = Number(asked['page'] ?? 0) * size;
    if (from === 0 || size < cap) searches.push(asked);
    const rows = from > cap ? [] : world.search(...bounds(asked)).slice(from, from + size);
    const total = world.count?.(...bounds(asked));
    return { rows: rows.map((id) => (service === 'only ids' ? { id } : whole(id))), ...(size < cap ? { data: { total } } : {}) };
  });
  const rows$ = of(query).pipe(
    splitWhenFull(size < cap ? Object.assign(factory, claims) : factory, {
      split,
      full: cap,
      by: 'id',
      summary: { next: (one) => (summary = one) },
    }),
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
  /** How many times the searches of an oracle it takes in each of some worlds. All rows are found in all of them. */
  async function ratiosOf(kind: string, service: Service, worlds: number = 8): Promise<number[]> {
    const ratios: number[] = [];
    for (let seed = 0; seed < worlds; seed++) {
      const world = rangeWorld(kind, seed);
      const { ids, searches, summary } = await find(world, byRange(prices), byCents, { q: 'a' }, service);
      expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000]);
      expect(summary.full).toEqual([]);
      // an oracle's search of so many rows takes five pages of twenty
      ratios.push(searches.length / world.oracle / (service === 'pages and a claim' ? 5 : 1));
    }
    return ratios;
  }

  const easy = Object.keys(rangeKinds);
  it.each(easy)(
    'finds 10,000 rows under a cap of 100 with at most 1.5 times the searches of an oracle, in each world: %s',
    async (kind) => {
      expect(Math.max(...(await ratiosOf(kind, 'values')))).toBeLessThanOrEqual(1.5);
    },
  );

  it.each(easy)('needs no more of the rows than their number: %s', async (kind) => {
    expect(Math.max(...(await ratiosOf(kind, 'only ids', 4)))).toBeLessThanOrEqual(1.6);
  });

  it.each([
    ['one peak', 1.65, 1.25],
    ['two peaks', 1.7, 1.25],
    ['prices that end in .99', 1.65, 1.1],
    ['five clusters', 2, 1.25],
    ['sixty clusters', 2.5, 1.4],
  ])(
    'takes more where rows that were seen say little of the next ones, less if the service counts them: %s',
    async (kind, most, counted) => {
      expect(Math.max(...(await ratiosOf(kind, 'values', 4)))).toBeLessThanOrEqual(most);
      expect(Math.max(...(await ratiosOf(kind, 'pages and a claim', 4)))).toBeLessThanOrEqual(counted);
    },
  );

  it.each<[string, NonNullable<RangeWorld['count']>, number]>([
    ['the same number for all', () => 64_400, 1.5],
    ['any number', (first, last) => ((first * 7919 + last * 104_729) % 500) | 1, 2],
  ])('finds all rows where the service claims %s', async (_, count, most) => {
    const world = { ...rangeWorld('heavy tail', 1), count };
    const { ids, searches } = await find(world, byRange(prices), byCents, { q: 'a' }, 'pages and a claim');
    expect(new Set(ids).size).toBe(10_000);
    expect(searches.length / world.oracle / 5).toBeLessThanOrEqual(most);
  });

  it('finds all rows where a field only seems to say where they lie', async () => {
    const world = rangeWorld('lognormal', 2);
    // each row names the middle of whatever was searched for, and no price
    const places = new Map<number, number>();
    const search: RangeWorld['search'] = (first, last) => {
      const found = world.search(first, last);
      for (const id of found) places.set(id, Math.floor((Math.max(0, first) + Math.min(limit, last)) / 2));
      return found;
    };
    const values = new Proxy([], { get: (_, id) => places.get(Number(id)) });
    const { ids, searches } = await find({ ...world, search, values }, byRange(prices), byCents, { q: 'a' }, 'values');
    expect(new Set(ids).size).toBe(10_000);
    expect(searches.length / world.oracle).toBeLessThanOrEqual(4);
  });

  it('asks for each value in one piece only, and leaves no gap between pieces', async () => {
    const world = rangeWorld('uniform', 1);
    const { searches } = await find(world, byRange(prices), byCents);
    const bounds = searches.map(byCents).toSorted(([one], [other]) => one - other);
    const whole = bounds.filter(([first, last]) => world.count!(first, last) < cap);
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

  const dayText = (day: number): string => new Date(start + day * 86_400_000).toISOString();
  const decade = { params: ['after', 'before'], from: '2015-01-01', to: dayText(days - 1).slice(0, 10) } as const;
  async function ratioOf(kind: string, seed: number, service: Service): Promise<number> {
    const asked = dateWorld(kind, seed);
    const places = (query: FakeQuery): readonly [number, number] => [dayOf(query['after'], 0), dayOf(query['before'], 1e6)];
    const posted = (day: number): object => ({ posted: dayText(day + 0.5) });
    const { ids, searches, summary } = await find(asked, byDates(decade), places, { q: 'a' }, service, posted);
    expect([ids.length, new Set(ids).size, summary.full]).toEqual([10_000, 10_000, []]);
    return searches.length / asked.oracle / (service === 'pages and a claim' ? 5 : 1);
  }

  it.each<[kind: string, shown: number, ids: number, counted: number]>([
    ['even', 1.5, 1.5, 1.2],
    ['few on weekends', 1.5, 1.5, 1.2],
    ['fifty times more at the end', 1.5, 1.5, 1.2],
    ['seasons', 2, 2.3, 1.3],
    ['forty bursts', 2.2, 5.2, 1.3],
  ])('finds 10,000 rows by their dates, with so many times the searches of an oracle: %s', async (kind, shown, ids, counted) => {
    for (const seed of [0, 1]) expect(await ratioOf(kind, seed, 'values')).toBeLessThanOrEqual(shown);
    expect(await ratioOf(kind, 0, 'only ids')).toBeLessThanOrEqual(ids);
    expect(await ratioOf(kind, 0, 'pages and a claim')).toBeLessThanOrEqual(counted);
  });

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
