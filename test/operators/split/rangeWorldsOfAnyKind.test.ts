import { describe, expect, it } from 'vitest';
import { byRange, type Split } from '../../../operators/index.ts';
import { seeded } from '../../files/seeded.ts';
import { ofTheDay } from '../../ofTheDay.ts';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** Rows with values, in the order in which a search returns them. Some lie beyond the range. */
interface World {
  readonly values: readonly number[];
  readonly ranked: readonly number[];
  readonly cap: number;
  readonly range: { readonly from: number; readonly to: number };
  readonly query: Bounds;
  readonly claims: boolean;
}

/** Rows in any order, sorted either way, or sorted by nearly the same field. */
function drawWorld(seed: number): World {
  const random = seeded(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  const places = [50, 1000, 50_000][upTo(3)]!;
  const count = 30 + upTo(500);
  const centre = random() * places;
  const spread = random() < 0.5 ? places : places / 20;
  const inside = Array.from({ length: count }, () => Math.min(places - 1, Math.max(0, Math.floor(centre + (random() - 0.5) * spread))));
  const beyond =
    random() < 0.4 ? Array.from({ length: upTo(300) }, () => (random() < 0.5 ? -1 - upTo(places) : places + upTo(places))) : [];
  const values = [...inside, ...beyond];
  const order = ['any', 'rising', 'falling', 'nearly'][upTo(4)]!;
  const off = 1 + upTo(Math.min(10, Math.ceil(places / 100)));
  const keys = values.map((value) =>
    order === 'any' ? random() : (order === 'falling' ? -1 : 1) * value + (order === 'nearly' ? random() * off : 0),
  );
  const ranked = [...values.keys()].toSorted((one, other) => keys[one]! - keys[other]! || one - other);
  const [one, other] = [upTo(places), upTo(places)];
  const query = random() < 0.3 ? { min: Math.min(one, other), max: Math.max(one, other) } : {};
  return {
    values,
    ranked,
    cap: 12 + upTo(30),
    range: { from: 0, to: places - 1 },
    query,
    claims: random() < 0.3,
  };
}

/** Plays a world. Returns the rows of the range that weren't found, without those of single values that are full. */
function missingIn({ values, ranked, cap, range, query: whole, claims }: World): readonly number[] {
  const split: Split<Bounds> = byRange({ params: ['min', 'max'], ...range });
  const found = new Set<number>();
  const full: Bounds[] = [];
  const queries: { readonly query: Bounds; readonly widerClaim?: number | undefined }[] = [{ query: whole }];
  for (const { query, widerClaim } of queries) {
    if (queries.length > 20_000) throw new Error('it has no end');
    const { min = -Infinity, max = Infinity } = query;
    const all = ranked.filter((id) => values[id]! >= min && values[id]! <= max);
    const claim = claims ? all.length : undefined;
    const isOver = split.isFull!(query, { full: cap, claim, widerClaim, factory: undefined });
    const rows = all.slice(0, isOver ? 3 : cap);
    for (const id of rows) found.add(id);
    if (!isOver && rows.length < cap) continue;
    const narrower = split(query, { query, rows, pages: 1, full: cap, claim, widerClaim });
    if (narrower.length === 0) full.push(query);
    for (const each of narrower) queries.push({ query: each, widerClaim: claim });
  }
  const isFull = (value: number): boolean => full.some(({ min = -Infinity, max = Infinity }) => value >= min && value <= max);
  const { min = range.from, max = range.to } = whole;
  return [...values.keys()].filter((id) => !found.has(id) && values[id]! >= min && values[id]! <= max && !isFull(values[id]!));
}

describe('byRange in worlds of any kind', () => {
  const isLong = process.env['TRAWLER_LONG'] === '1';
  const seeds = Array.from({ length: 2000 }, (_, index) => index + 1);

  it('finds every row between its ends, in any order, with bounds of its own, and beside rows beyond the range', () => {
    const lost = (isLong ? seeds : ofTheDay(seeds, 200)).filter((seed) => missingIn(drawWorld(seed)).length > 0);
    expect(lost).toEqual([]);
  });

  it('finds the rows of a range whose ends are full of rows beyond it', () => {
    const values = [
      ...Array.from({ length: 40 }, (_, index) => index),
      ...Array.from({ length: 200 }, (_, index) => -1 - index),
      ...Array.from({ length: 200 }, (_, index) => 40 + index),
    ];
    for (const sign of [1, -1]) {
      const ranked = [...values.keys()].toSorted((one, other) => sign * (Math.abs(values[one]! - 20) - Math.abs(values[other]! - 20)));
      for (const claims of [true, false])
        expect(missingIn({ values, ranked, cap: 20, range: { from: 0, to: 39 }, query: {}, claims })).toEqual([]);
    }
  });
});
