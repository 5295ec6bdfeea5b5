import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { estimateTotal, items, offsetPages, untilSaturated, type TotalEstimate } from '../../operators/index.ts';
import { fakeFactory, offsetPaging, type FakeFactory } from './fakeFactory.ts';
import { worldKinds, worldOf, type World } from './estimate/worlds.ts';

const overlapping = worldOf(3, { name: 'overlap', match: [0.4, 0.9], fame: 1.5, topics: 1 });
const world = { ...overlapping, queries: Array.from({ length: 50 }, (_, term) => overlapping.queries[term % overlapping.queries.length]!) };
const terms = (of: World): { readonly term: number }[] => of.queries.map((_, term) => ({ term }));

/** Twenty rows to a page. */
function serve({ queries }: World): FakeFactory<typeof offsetPaging> {
  return fakeFactory(offsetPaging, ({ term, page = 0 }) => {
    const rows = queries[Number(term)]!.slice(Number(page) * 20, Number(page) * 20 + 20);
    return { rows: rows.map((id) => ({ id, term })) };
  });
}

describe('untilSaturated', () => {
  it('requests no further page once too few rows are new', async () => {
    const [all, some] = [serve(world), serve(world)];
    const whole = await lastValueFrom(from(terms(world)).pipe(offsetPages(all), items(), toArray()));
    const pages$ = from(terms(world)).pipe(offsetPages(some, { concurrency: 1 }), untilSaturated({ id: 'id', newRows: 0.1, over: 20 }));
    const found = await lastValueFrom(pages$.pipe(items(), toArray()));
    expect(some.asked.length).toBeLessThan(all.asked.length);
    expect(some.asked.length).toBeGreaterThanOrEqual(20);
    const count = (rows: readonly { readonly [field: string]: unknown }[]): number => new Set(rows.map((row) => row['id'])).size;
    expect(count(found)).toBeGreaterThan(count(whole) / 2);
  });

  it('counts a row without an id as new', async () => {
    const pages = ['a', 'b', 'c'].map((text) => ({ operation: 'x', query: {}, data: {}, items: [{ id: null, text }, { text }] }));
    const pages$ = from(pages).pipe(untilSaturated({ id: 'id' as never, newRows: 0.6, over: 2 }), toArray());
    expect(await lastValueFrom(pages$)).toHaveLength(3);
  });

  it.each([{ newRows: 0 }, { newRows: 1.1 }, { over: 0 }, { over: 1.5 }])('refuses %j', (wrong) => {
    expect(() => untilSaturated({ id: 'id' as never, ...wrong })).toThrow(RangeError);
  });
});

describe('estimateTotal', () => {
  const estimate = async (of: World, query?: 'term'): Promise<TotalEstimate> => {
    const told: TotalEstimate[] = [];
    const rows$ = from(terms(of)).pipe(offsetPages(serve(of)), items());
    const passed = await lastValueFrom(
      rows$.pipe(estimateTotal({ id: 'id', query, summary: { next: (one) => told.push(one) } }), toArray()),
    );
    expect(passed.length).toBe(of.queries.reduce((sum, rows) => sum + rows.length, 0));
    expect(told).toHaveLength(1);
    return told[0]!;
  };

  it('passes all rows on, and tells how many exist at least', async () => {
    const some = worldOf(5, worldKinds[1]);
    const bound = await estimate(some, 'term');
    expect(bound).toMatchObject({ found: new Set(some.queries.flat()).size });
    expect('low' in bound && bound.low <= some.total && bound.atLeast >= bound.found).toBe(true);
  });

  it('takes each row for one of another query where it does not know the queries: Chao1', async () => {
    const ids = [...Array.from({ length: 60 }, (_, id) => id), ...Array.from({ length: 40 }, (_, id) => id), 0, 1];
    const told: TotalEstimate[] = [];
    await lastValueFrom(from(ids).pipe(estimateTotal({ id: (id: number) => id, summary: { next: (one) => told.push(one) } })));
    // 20 once, 38 twice: 60 + 20 * 19 / (2 * 39)
    expect(told).toMatchObject([{ found: 60, atLeast: 65 }]);
  });

  it('says why it tells nothing', async () => {
    expect(await estimate({ ...world, queries: [[1, 2, 3], [4, 5]] }, 'term')).toEqual({ found: 5, because: 'too few rows were found by more than one query' }); // prettier-ignore
  });
});
