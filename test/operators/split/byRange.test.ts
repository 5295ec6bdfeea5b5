import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { byDates, byRange, items, splitWhenFull, type Split, type SplitSummary } from '../../../operators/index.ts';
import { measured, table } from './measured.ts';
import { fakeFactory, offsetPaging, type FakeQuery } from '../fakeFactory.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import { playRange, type RangeService } from './playRange.ts';
import { heldOutKinds, rangeKinds, rangeWorld, type RangeKindName, type RangeWorld } from './rangeWorlds.ts';

interface Found {
  readonly ids: readonly number[];
  readonly searches: readonly FakeQuery[];
  readonly summary: SplitSummary<FakeQuery>;
}

type Bounded = Pick<RangeWorld, 'values' | 'search'> & Partial<Pick<RangeWorld, 'count'>>;

/** What `split` finds in a world whose search reads its bounds with `bounds`. `shown`: the fields of a row besides its id. */
async function find(
  { search, count }: Bounded,
  split: Split<FakeQuery>,
  bounds: (query: FakeQuery) => readonly [number, number],
  { query = { q: 'a' }, full = cap }: { readonly query?: FakeQuery; readonly full?: number } = {},
): Promise<Found> {
  const searches: FakeQuery[] = [];
  let summary: SplitSummary<FakeQuery> | undefined;
  const size = count === undefined ? full : 20;
  const factory = fakeFactory(offsetPaging, (asked) => {
    const from = Number(asked['page'] ?? 0) * size;
    if (from === 0) searches.push(asked);
    const ids = from >= full ? [] : search(...bounds(asked)).slice(from, from + size);
    return { rows: ids.map((id) => ({ id })), data: { total: count?.(...bounds(asked)) } };
  });
  const rows$ = of(query).pipe(
    splitWhenFull(count === undefined ? factory : Object.assign(factory, { claims: { at: 'total' } }), {
      split,
      full,
      by: 'id',
      summary: { next: (one) => (summary = one) },
    }),
    items(),
  );
  const rows = await lastValueFrom(rows$.pipe(toArray()));
  return { ids: rows.map((row) => Number(row['id'])), searches, summary: summary! };
}

const cap = 100;
const byCents = (query: FakeQuery): readonly [number, number] => [
  Math.round(Number(query['min'] ?? 0) * 100),
  Math.round(Number(query['max'] ?? 1e9) * 100),
];
const prices = { params: ['min', 'max'], from: 0, to: 500, step: 0.01 } as const;
const all = Array.from({ length: 10_000 }, (_, id) => id);
const orders = ['any', 'rising', 'falling'] as const;

describe('byRange', () => {
  const services: readonly (readonly [head: string, RangeService])[] = [
    ['without a claim', 'rows'],
    ['twenty a page, and a claim', 'pages and a claim'],
  ];
  function ratioOf(kind: RangeKindName, seed: number, service: RangeService): number {
    const { ratio, missing, full } = playRange(rangeWorld(kind, seed), service);
    expect({ kind, missing, full }).toEqual({ kind, missing: 0, full: 0 });
    return ratio;
  }

  it('takes as many requests as bench/README.md says', async () => {
    const kinds = [...Object.keys(rangeKinds), ...Object.keys(heldOutKinds)] as RangeKindName[];
    const sums = services.map(() => 0);
    const rows = kinds.map((kind) => {
      const ratios = services.map(([, service]) => ratioOf(kind, 1, service));
      for (const [index, ratio] of ratios.entries()) sums[index]! += ratio;
      return [kind, ...ratios.map((ratio) => ratio.toFixed(2))];
    });
    rows.push(['mean', ...sums.map((sum) => (sum / kinds.length).toFixed(2))]);
    const figures = table(['rows', ...services.map(([head]) => head)], rows);
    expect(await measured('ranges', figures, 'bench/README.md')).toBe(figures);
  });

  const sizes = [2000, 20_000] as const;
  it.each(ofTheDay(sizes, 1))('finds all of %d rows under any cap', (rows) => {
    for (const caps of [50, 500]) {
      const play = playRange(rangeWorld('two peaks', 3, { rows, cap: caps }), 'rows');
      expect(play).toMatchObject({ missing: 0, full: 0 });
      expect(play.ratio).toBeLessThanOrEqual(5);
    }
  });

  it.each<[string, RangeWorld['count']]>([
    ['the same number for all', () => 64_400],
    ['any number', (first, last) => ((first * 7919 + last * 104_729) % 500) | 1],
  ])('finds all rows where the service claims %s', (_, count) => {
    const { ratio, missing } = playRange({ ...rangeWorld('heavy tail', 1), count }, 'pages and a claim');
    expect(missing).toBe(0);
    expect(ratio).toBeLessThanOrEqual(4);
  });

  it('requests neighbouring pieces without a gap or an overlap', async () => {
    const world = rangeWorld('even', 1);
    const { searches } = await find(uncounted(world), byRange(prices), byCents);
    const bounds = searches.map(byCents).toSorted(([one], [other]) => one - other);
    const whole = bounds.filter(([first, last]) => world.count(first, last) < cap);
    for (const [index, [first]] of whole.entries()) expect(first).toBe(index === 0 ? 0 : whole[index - 1]![1] + 1);
    expect(whole.at(-1)![1]).toBeGreaterThanOrEqual(world.places);
  });

  it('works where the service leaves out rows on the upper bound', async () => {
    const halfOpen = (query: FakeQuery): readonly [number, number] => {
      const [first, last] = byCents(query);
      return [first, query['max'] === undefined ? last : last - 1];
    };
    const split = byRange<FakeQuery>({ ...prices, step: 1, upper: 'excluded' });
    for (const order of ofTheDay(orders, 1)) {
      const { ids } = await find(uncounted(rangeWorld('whole prices', 2, { order })), split, halfOpen);
      expect(ids.toSorted((one, other) => one - other)).toEqual(all);
    }
  });

  it('finds rows beyond the ends in the outermost pieces, and keeps the bounds that a query has', async () => {
    for (const order of ofTheDay(orders, 1, 1)) {
      const world = rangeWorld('even', 3, { order });
      const narrow = byRange<FakeQuery>({ ...prices, from: 1, to: 499 });
      expect((await find(uncounted(world), narrow, byCents)).ids).toHaveLength(10_000);
      const bounded = { query: { min: 100, max: 200.5 } };
      const { ids, searches } = await find(uncounted(world), byRange(prices), byCents, bounded);
      expect(ids.toSorted((one, other) => one - other)).toEqual(
        all.filter((id) => world.values[id]! >= 10_000 && world.values[id]! <= 20_050),
      );
      expect(searches.every(({ min, max }) => Number(min) >= 100 && Number(max) <= 200.5)).toBe(true);
    }
  });

  it.each<[string, FakeQuery, 'included' | 'excluded', expected: number]>([
    ['below the range', { min: -40 }, 'included', 590],
    ['above the range', { max: 530 }, 'included', 581],
    ['between two values', { min: 10.4, max: 200.6 }, 'included', 190],
    ['between two values, which is left out itself', { max: 200.4 }, 'excluded', 251],
  ])('finds what lies in the bounds that a query has: %s', async (_, query, upper, expected) => {
    const values = Array.from({ length: 600 }, (_value, index) => index * 100 - 5000);
    const bounds = ({ min, max }: FakeQuery): readonly [number, number] => [
      min === undefined ? -Infinity : Math.round(Number(min) * 100),
      max === undefined ? Infinity : Math.round(Number(max) * 100) - (upper === 'excluded' ? 1 : 0),
    ];
    for (const rising of [true, false]) {
      const order = rising ? [...values.keys()] : [...values.keys()].toReversed();
      const search: RangeWorld['search'] = (first, last) => order.filter((id) => values[id]! >= first && values[id]! <= last).slice(0, cap);
      const split = byRange<FakeQuery>({ ...prices, step: 1, upper });
      const { ids, summary } = await find({ values, search }, split, bounds, { query });
      expect([new Set(ids).size, summary.full]).toEqual([expected, []]);
    }
  });

  it.each([
    ['rising', 70],
    ['falling', 70],
    ['any', 70],
    ['any', 50],
  ] as const)('reports a single value that is full, and goes on behind it, in %s order, with rows %d cents apart', async (order, apart) => {
    const values = [...Array.from({ length: 700 }, (_, index) => index * apart + 1), ...Array.from({ length: 300 }, () => 4200)];
    const sign = { rising: 1, falling: -1, any: 0 }[order];
    const ids = [...values.keys()].toSorted((one, other) => sign * (values[one]! - values[other]!));
    const search: RangeWorld['search'] = (first, last) => ids.filter((id) => values[id]! >= first && values[id]! <= last).slice(0, cap);
    const found = await find({ values, search }, byRange(prices), byCents);
    expect(new Set(found.ids).size).toBe(800);
    expect(found.summary.full).toEqual([{ q: 'a', min: 42, max: 42 }]);
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
  const dayText = (day: number): string => new Date(start + day * 86_400_000).toISOString();
  const range = { params: ['after', 'before'], from: '2015-01-01', to: dayText(3999).slice(0, 10) } as const;
  const byDays = (query: FakeQuery): readonly [number, number] => [dayOf(query['after'], 0), dayOf(query['before'], 1e6)];

  it.each(ofTheDay(orders, 1, 2))('finds all rows, which come in %s order', async (order) => {
    const world = rangeWorld('days, even', 1, { order });
    const { ids, searches, summary } = await find(uncounted(world), byDates(range), byDays);
    expect([new Set(ids).size, summary.full]).toEqual([10_000, []]);
    expect(searches.length / world.oracle).toBeLessThanOrEqual(4);
  });

  const uppers = ['included', 'excluded'] as const;
  it.each(ofTheDay(uppers, 1))('writes seconds, with the upper bound %s', async (upper) => {
    const places = (query: FakeQuery): readonly [number, number] => {
      const at = (value: unknown, or: number): number => (value === undefined ? or : (Number(value) * 1000 - start) / 86_400_000);
      const last = at(query['before'], 1e6);
      return [at(query['after'], 0), upper === 'excluded' ? Math.ceil(last) - 1 : Math.floor(last)];
    };
    const { ids } = await find(uncounted(rangeWorld('days, even', 2)), byDates({ ...range, as: 'seconds', upper }), places);
    expect(new Set(ids).size).toBe(10_000);
  });

  it.each(ofTheDay(uppers, 1, 1))('writes days without dashes, and reads them in a query, with the upper bound %s', async (upper) => {
    const dashed = (date: FakeQuery[string]): string => String(date).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
    const places = ({ after, before }: FakeQuery): readonly [number, number] => [
      dayOf(dashed(after), 0),
      before === undefined ? 1e6 : dayOf(dashed(before), 0) - (upper === 'excluded' ? 1 : 0),
    ];
    const world = rangeWorld('days, even', 3);
    const query = { q: 'a', after: '20160101' };
    const { ids, searches } = await find(uncounted(world), byDates({ ...range, as: 'compactDate', upper }), places, { query });
    expect(ids).toHaveLength(world.count(365, 3999));
    expect(searches.slice(1).every(({ after }) => /^\d{8}$/.test(String(after)))).toBe(true);
  });
});

/** The world without claims. */
function uncounted({ values, search }: RangeWorld): Bounded {
  return { values, search };
}
