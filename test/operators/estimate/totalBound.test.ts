import { describe, expect, it } from 'vitest';
import { CaptureCounts } from '../../../operators/estimate/CaptureCounts.ts';
import { totalBound, type Captures, type NoBound, type TotalBound } from '../../../operators/estimate/totalBound.ts';
import { measured, percent, spreadOf, table } from './measured.ts';
import { topicsKind, worldKinds, worldOf, type World } from './worlds.ts';

function boundOf(queries: World['queries']): TotalBound | NoBound {
  const counts = new CaptureCounts<number>();
  for (const [query, rows] of queries.entries()) for (const row of rows) counts.add(row, query);
  return counts.bound();
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const numbers = (bound: TotalBound | NoBound): TotalBound => {
  if (typeof bound === 'string') throw new Error(`no bound: ${bound}`);
  return bound;
};

describe('totalBound', () => {
  it('is Chapman’s estimator for two queries', () => {
    // 60 and 50 rows, 30 of them in both: 61 * 51 / 31 - 1 = 99.35
    const bound = numbers(boundOf([range(0, 60), range(30, 80)]));
    expect(bound).toMatchObject({ found: 80, atLeast: 99 });
    // Seber's variance is 61 * 51 * 30 * 20 / (31² * 32) = 61
    expect(bound.low).toBeGreaterThan(85);
    expect(bound.high).toBeLessThan(130);
  });

  it('adds nothing where one query has every row of the others', () => {
    expect(boundOf([range(0, 1000), range(0, 200), range(300, 500)])).toMatchObject({ found: 1000, atLeast: 1000, low: 1000 });
  });

  it('has an upper end above the rows found, although no row was missed', () => {
    expect(numbers(boundOf([range(0, 1000), range(0, 250)])).high).toBe(1000 + Math.ceil((3 * 750) / 251));
  });

  it.each<[string, World['queries'], NoBound]>([
    ['no query', [], 'alone'],
    ['one query', [range(0, 500)], 'alone'],
    ['queries without a common row', [range(0, 500), range(500, 1000)], 'apart'],
    ['queries with nine common rows', [range(0, 100), range(91, 200)], 'apart'],
    ['queries for different things, with 190 of 1,000 rows in common', [range(0, 595), range(405, 1000)], 'apart'],
  ])('gives nothing for %s', (_, queries, reason) => {
    expect(boundOf(queries)).toBe(reason);
  });

  it('has a wider interval where some queries share many rows and others none', () => {
    const alone = [50, 50, 50, 50];
    const even: Captures = { found: 300, alone, pairs: Array.from({ length: 6 }, () => ({ both: 10, alone: [50, 50] })) };
    const uneven: Captures = { found: 300, alone, pairs: [1, 2].map(() => ({ both: 30, alone: [50, 50] as const })) };
    const [one, other] = [numbers(totalBound(even)), numbers(totalBound(uneven))];
    expect(other.atLeast).toBe(one.atLeast);
    expect(other.low).toBeLessThan(one.low);
    expect(other.high).toBeGreaterThan(one.high);
  });

  it('never counts a row twice for one query, in whatever order queries find it', () => {
    const counts = new CaptureCounts<string>();
    for (const query of [0, 0, 3, 0, 3]) counts.add('a', query);
    expect(counts.frequencies).toEqual({ found: 1, once: 0, twice: 1, more: 0 });
    counts.add('a', 7);
    counts.add('a', 3);
    expect(counts.frequencies).toEqual({ found: 1, once: 0, twice: 0, more: 1 });
  });
});

describe('200 seeded worlds', () => {
  const worlds = Array.from({ length: 200 }, (_, seed) => worldOf(seed));
  const all = worlds.map((world) => ({ world, bound: boundOf(world.queries) }));
  const told = all.flatMap(({ world, bound }) => (typeof bound === 'string' ? [] : [{ world, bound }]));

  const topics = Array.from({ length: 80 }, (_, seed) => worldOf(seed, topicsKind)).map((world) => ({
    world,
    bound: boundOf(world.queries),
  }));

  it('have the truth above the lower bound in at least 95 %', () => {
    expect(told.length).toBeGreaterThan(150);
    const right = told.filter(({ world, bound }) => bound.low <= world.total);
    expect(right.length / told.length).toBeGreaterThanOrEqual(0.95);
    for (const { name } of worldKinds) {
      const ofKind = told.filter(({ world }) => world.kind === name);
      const wrong = ofKind.filter(({ world, bound }) => bound.low > world.total);
      expect([name, wrong.length / ofKind.length <= 0.1]).toEqual([name, true]);
    }
  });

  it('have an estimate that is right in the middle, where rankings have no heavy tail', () => {
    const errors = told
      .filter(({ world }) => world.kind !== 'heavy tail')
      .map(({ world, bound }) => bound.atLeast / world.total - 1)
      .toSorted((one, other) => one - other);
    expect(Math.abs(errors[Math.floor(errors.length / 2)]!)).toBeLessThan(0.03);
  });

  it('also hold where queries look for different things, because the interval gets wider', () => {
    const wrong = topics.filter(({ world, bound }) => typeof bound !== 'string' && bound.low > world.total);
    expect(wrong.length / topics.length).toBeLessThanOrEqual(0.05);
  });

  it('have the figures that the guide names', async () => {
    const queries: { readonly [kind: string]: string } = {
      random: 'a random part of the rows',
      ranked: 'rows ranked partly by fame',
      'heavy tail': 'rows ranked mostly by fame: a heavy tail',
      uneven: 'very different numbers of rows',
      'little overlap': 'few rows each, with little overlap',
    };
    const right = told.filter(({ world, bound }) => bound.low <= world.total).length;
    const rows = worldKinds.map(({ name }) => {
      const ofKind = told.filter(({ world }) => world.kind === name);
      const { median, low, high } = spreadOf(ofKind.map(({ world, bound }) => bound.atLeast / world.total - 1));
      const of = worlds.filter(({ kind }) => kind === name).length;
      return [queries[name]!, `${ofKind.length} of ${of}`, percent(median), `${percent(low)} to ${percent(high)}`];
    });
    const bounds = `In ${right} of the ${told.length} with an estimate, the truth lies above \`low\`. \`atLeast\` against the truth:\n\n${table(['queries return', 'estimated', 'median error', '80 % of the errors'], rows)}`;
    expect(await measured('worlds', bounds)).toBe(bounds);
    const known = topics.flatMap(({ world, bound }) => (typeof bound === 'string' ? [] : [{ world, bound }]));
    const { low, high } = spreadOf(known.map(({ world, bound }) => bound.atLeast / world.total - 1));
    const above = known.filter(({ world, bound }) => bound.low <= world.total).length;
    const ofTopics = `In ${topics.length} worlds with four such topics, ${topics.length - known.length} had no estimate. In the others 80 % of the errors were between ${percent(low)} and ${percent(high)},\nand \`low\` was below the truth in ${above} of ${known.length}, because uneven overlaps make the interval wider.`;
    expect(await measured('topics', ofTopics)).toBe(ofTopics);
  });
});
