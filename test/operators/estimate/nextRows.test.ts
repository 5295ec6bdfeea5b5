import { describe, expect, it } from 'vitest';
import { CaptureCounts } from '../../../operators/estimate/CaptureCounts.ts';
import { nextRows, type NextRows } from '../../../operators/estimate/nextRows.ts';
import { measured, percent, spreadOf, table } from './measured.ts';
import { topicsKind, worldKinds, worldOf, type World } from './worlds.ts';

const pageSize = 20;

/** The pages of each query. A query without rows has an empty one. */
function pagesOf({ queries }: World): readonly (readonly (readonly number[])[])[] {
  return queries.map((rows) =>
    Array.from({ length: Math.max(1, Math.ceil(rows.length / pageSize)) }, (_, page) => rows.slice(page * pageSize, (page + 1) * pageSize)),
  );
}

interface Outcome {
  readonly expected: NextRows;
  readonly really: number;
}

/** How many times as many requests follow, in this order. */
const allTimes = [0.1, 0.5, 1];

/** Requests half of a world's queries, and compares what is expected of the next requests with what they really bring. */
function outcomesOf(world: World): readonly (Outcome | undefined)[] {
  const pages = pagesOf(world);
  const half = Math.floor(pages.length / 2);
  const counts = new CaptureCounts<number>();
  const seen = new Set<number>();
  for (const [query, found] of pages.slice(0, half).entries())
    for (const page of found)
      for (const row of page) {
        counts.add(row, query);
        seen.add(row);
      }
  const before = seen.size;
  const sent = pages.slice(0, half).reduce((sum, { length }) => sum + length, 0);
  const rest = pages.slice(half).flat();
  let taken = 0;
  return allTimes.map((times) => {
    const next = Math.round(sent * times);
    const expected = nextRows(counts.captures, { queries: half, times: next / sent });
    if (typeof expected === 'string' || next === 0 || rest.length < next) return undefined;
    for (; taken < next; taken += 1) for (const row of rest[taken]!) seen.add(row);
    return { expected, really: seen.size - before };
  });
}

describe('nextRows', () => {
  const counted = (queries: World['queries']): CaptureCounts<number> => {
    const counts = new CaptureCounts<number>();
    for (const [query, rows] of queries.entries()) for (const row of rows) counts.add(row, query);
    return counts;
  };
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

  it('expects nothing new where every row was found more than once', () => {
    const queries = Array.from({ length: 6 }, () => range(0, 100));
    expect(nextRows(counted(queries).captures, { queries: 6, times: 1 })).toMatchObject({ about: 0, low: 0 });
  });

  it('expects of one more query what each brought that the others did not', () => {
    // each of eight has 40 rows: 20 of its own, 10 of each neighbour
    const queries = Array.from({ length: 8 }, (_, at) => [
      ...range(1000 + at * 20, 1020 + at * 20),
      ...range(at * 10, at * 10 + 10),
      ...range(((at + 1) % 8) * 10, ((at + 1) % 8) * 10 + 10),
    ]);
    const expected = nextRows(counted(queries).captures, { queries: 8, times: 1 / 8 });
    if (typeof expected === 'string') throw new Error(expected);
    expect(Math.abs(expected.about - 20)).toBeLessThanOrEqual(3);
    expect(expected.low).toBeLessThan(expected.about);
    expect(expected.high).toBeGreaterThan(expected.about);
  });

  it('says why it expects nothing at all', () => {
    expect(nextRows(counted([range(0, 100)]).captures, { queries: 1, times: 1 })).toBe('alone');
    expect(nextRows(counted([range(0, 100), range(100, 200)]).captures, { queries: 2, times: 1 })).toBe('apart');
    expect(nextRows(counted([range(0, 100), range(50, 150)]).captures, { queries: 2, times: 1 })).toBe('few');
  });
});

describe('200 seeded worlds, half of whose queries were requested', () => {
  const kinds = [...worldKinds, topicsKind];
  const worlds = Array.from({ length: 200 }, (_, seed) => worldOf(seed, kinds[seed % kinds.length]));

  const outcomes = worlds.map(outcomesOf);
  const all = new Map(allTimes.map((times, at) => [times, outcomes.flatMap((of) => of[at] ?? [])]));
  const isInside = ({ expected, really }: Outcome): boolean => really >= expected.low && really <= expected.high;

  it('have the figures that the guide names', async () => {
    const names = ['a tenth', 'half as many', 'as many'];
    const rows = Array.from(all.values(), (outcomes, index) => {
      const { median, low, high } = spreadOf(outcomes.map(({ expected, really }) => expected.about / Math.max(1, really) - 1));
      const inside = outcomes.filter(isInside).length / outcomes.length;
      return [names[index]!, outcomes.length, percent(inside), percent(median), `${percent(low)} to ${percent(high)}`];
    });
    const figures = table(['more requests', 'estimated', 'within the interval', 'median error', '80 % of the errors'], rows);
    expect(await measured('more', figures)).toBe(figures);
  });

  it.each([...all])('bring by %d times as many requests what the interval says, in at least 90 %', (_, outcomes) => {
    expect(outcomes.length).toBeGreaterThan(80);
    const inside = outcomes.filter(isInside);
    expect(inside.length / outcomes.length).toBeGreaterThanOrEqual(0.9);
    // and the interval isn't so wide that it says nothing
    const widths = outcomes
      .map(({ expected: { about, low, high } }) => (high - low) / Math.max(1, about))
      .sort((one, other) => one - other);
    expect(widths[Math.floor(widths.length / 2)]).toBeLessThan(2);
  });
});
