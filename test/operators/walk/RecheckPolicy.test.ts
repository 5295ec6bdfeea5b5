import fc from 'fast-check';
import { from, lastValueFrom, mergeMap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RecheckReason } from '../../../operators/index.ts';
import { RecheckPolicy } from '../../../operators/walk/RecheckPolicy.ts';
import { walkPages } from '../../../operators/walk/walkPages.ts';
import { cursorPaging, fakeFactory, type FakeFactory } from '../fakeFactory.ts';

const isLong = process.env['TRAWLER_LONG'] === '1';

/** The rechecks that `count` suspect ends cost. `isWrong` says which are really no ends, `pagesOf` how long the walks are. */
function rechecksIn(
  count: number,
  { isWrong = () => false, pagesOf = () => 3 }: { isWrong?: (nth: number) => boolean; pagesOf?: (nth: number) => number } = {},
  rechecks = new RecheckPolicy(),
): number[] {
  const rechecked: number[] = [];
  for (let nth = 1; nth <= count; nth++) {
    const pages = pagesOf(nth);
    if (!rechecks.wants('full', pages)) {
      rechecks.learn({ reason: 'full', is: 'trusted', pages }, { nth });
      continue;
    }
    rechecked.push(nth);
    rechecks.learn({ reason: 'full', is: 'requested', pages }, { nth });
    if (isWrong(nth)) rechecks.learn({ reason: 'full', is: 'useful', pages }, { nth });
  }
  return rechecked;
}

describe('RecheckPolicy', () => {
  it('rechecks seven pages, and then now and then, ever more rarely', () => {
    expect(rechecksIn(60)).toEqual([1, 2, 3, 4, 5, 6, 7, 20, 34, 49]);
    const rechecked = rechecksIn(10_000);
    expect(rechecked.length).toBeLessThan(200);
    expect(Math.max(...rechecked.map((nth, at) => nth - (rechecked[at - 1] ?? 0)))).toBe(101);
  });

  it('rechecks an end that comes earlier than those that were true, twice', () => {
    expect(rechecksIn(60, { pagesOf: (nth) => (nth === 12 ? 2 : 3) })).toContain(12);
    expect(rechecksIn(60, { pagesOf: (nth) => 100 - nth }).slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 24]);
  });

  it('costs at most a dozen rechecks in 60 walks whose ends are true, however long these are', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 60, maxLength: 60 });
    const property = fc.property(lengths, (of) => {
      expect(rechecksIn(60, { pagesOf: (nth) => of[nth - 1]! }).length).toBeLessThanOrEqual(12);
    });
    fc.assert(property, { numRuns: isLong ? 20_000 : 100 });
  });

  it('rechecks every page again as soon as a recheck was useful, and for longer', () => {
    const rechecked = rechecksIn(100, { isWrong: (nth) => nth === 34 });
    expect(rechecked.filter((nth) => nth >= 34 && nth <= 66)).toHaveLength(33);
    expect(rechecked.filter((nth) => nth > 66)).toEqual([]);
  });

  it('learns from each reason by itself', () => {
    const rechecks = new RecheckPolicy();
    rechecksIn(8, {}, rechecks);
    expect([rechecks.wants('full', 3), rechecks.wants('short', 3)]).toEqual([false, true]);
  });

  it('says which pages were trusted once a recheck was useful, if nothing else said so', () => {
    const rechecks = new RecheckPolicy();
    rechecksIn(10, {}, rechecks);
    for (let nth = 0; nth < 9; nth++) rechecks.learn({ reason: 'short', is: nth < 8 ? 'requested' : 'trusted', pages: 1 }, { nth });
    const saidOf = (reason: RecheckReason): unknown[] =>
      rechecks.noticesOf({ reason, is: 'useful', pages: 1 }, 'search').map((event) => event.type === 'suspect' && event.query);
    expect(rechecks.noticesOf({ reason: 'full', is: 'trusted', pages: 1 }, 'search')).toEqual([]);
    expect(saidOf('full')).toEqual([{ nth: 8 }, { nth: 9 }, { nth: 10 }]);
    expect(saidOf('short')).toEqual([]);
    rechecks.learn({ reason: 'full', is: 'useful', pages: 1 }, {});
    expect(saidOf('full')).toEqual([]);
  });
});

const walks = 60;
type Length = (walk: number) => number;
const fourPages: Length = () => 4;
const twoToSixPages: Length = (walk) => 2 + ((walk * 7) % 5);

/** Walks of full pages. Those for which `isFalse` says so lose a token in the middle, the first time. */
function fullWalks(isFalse: (walk: number) => boolean, length: Length): FakeFactory<typeof cursorPaging> {
  const asked = new Set<string>();
  return fakeFactory(cursorPaging, ({ walk, cursor }) => {
    const [nth, page] = [Number(walk), Number(cursor ?? 1)];
    const isFirst = !asked.has(`${nth} ${page}`);
    asked.add(`${nth} ${page}`);
    const isLost = isFirst && isFalse(nth) && page === (nth % (length(nth) - 1)) + 1;
    const rows = Array.from({ length: 10 }, (_, row) => ({ walk: nth, row: page * 10 + row }));
    return { rows, data: page < length(nth) && !isLost ? { next: String(page + 1) } : {} };
  });
}

interface Walked {
  /** The share of all rows that came, the rechecks it took, and whether any page was said to be suspect. */
  readonly share: number;
  readonly rechecks: number;
  readonly isSaid: boolean;
  /** The walks that lack rows, and those of which an event says that their end is not confirmed. */
  readonly lacking: readonly number[];
  readonly unconfirmed: readonly number[];
}

async function walkAll(isFalse: (walk: number) => boolean, length: Length, concurrency = 1, count = walks): Promise<Walked> {
  const factory = fullWalks(isFalse, length);
  const rows$ = from(Array.from({ length: count }, (_, walk) => ({ walk }))).pipe(
    mergeMap(walkPages(factory, {}), concurrency),
    mergeMap((page) => page.items),
    toArray(),
  );
  const came = await lastValueFrom(rows$);
  const rows = came.length;
  const rowsOf = new Map<unknown, number>();
  for (const { walk } of came) rowsOf.set(walk, (rowsOf.get(walk) ?? 0) + 1);
  const lacking = Array.from({ length: count }, (_, walk) => walk).filter((walk) => rowsOf.get(walk) !== length(walk) * 10);
  const unconfirmed = factory.told.flatMap((event) => (event.type === 'unconfirmed' ? [(event.query as { walk: number }).walk] : []));
  const pages = Array.from({ length: count }, (_, walk) => length(walk)).reduce((sum, one) => sum + one, 0);
  const isSaid = factory.told.some(({ type }) => type === 'suspect');
  return { share: rows / (pages * 10), rechecks: factory.asked.length - rows / 10, isSaid, lacking, unconfirmed };
}

describe.each([
  ['four pages', fourPages],
  ['two to six pages', twoToSixPages],
])('walks of %s that end on a full page', (_, length) => {
  it.each([1, 8, 60])('cost at most a dozen rechecks in 60 walks if these ends are true, %d at once', async (concurrency) => {
    const { share, rechecks, isSaid } = await walkAll(() => false, length, concurrency);
    expect([share, isSaid]).toEqual([1, false]);
    expect(rechecks).toBeLessThanOrEqual(12);
  });

  it('cost no more than one recheck each', async () => {
    for (let count = 1; count <= 30; count++) expect((await walkAll(() => false, length, 1, count)).rechecks).toBeLessThanOrEqual(count);
  });

  it('bring at least 95 % of the rows if every tenth end is false, whichever it is', async () => {
    const walked = await Promise.all(Array.from({ length: 10 }, (_, first) => walkAll((walk) => walk % 10 === first, length)));
    expect(walked.reduce((sum, { share }) => sum + share / 10, 0)).toBeGreaterThanOrEqual(0.95);
    // Where walks are of one length, an end before it is noticed, so all rows come.
    expect(walked.every(({ share }) => share === 1)).toBe(length === fourPages);
  });

  it('bring 98 % of the rows on average if one end in ten is false by chance, and say which walks may lack rows', async () => {
    const runs = isLong ? 2000 : 12;
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let share = 0;
    for (let run = 0; run < runs; run++) {
      const isFalse = Array.from({ length: walks }, () => random() < 0.1);
      const walked = await walkAll((walk) => isFalse[walk]!, length);
      share += walked.share / runs;
      expect(walked.unconfirmed).toEqual(expect.arrayContaining([...walked.lacking]));
    }
    expect(share).toBeGreaterThan(0.98);
  });
});
