import { from, lastValueFrom, of, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  byValues,
  byYear,
  items,
  type OffsetPaging,
  offsetPages,
  type PageFactory,
  type PageLike,
  splitWhenFull,
  type SplitWhenFullOptions,
  type SplitSummary,
  type WalkEvent,
} from '../../../operators/index.ts';
import { scholarSearch } from '../../../src/search/operations/scholarSearch.ts';

interface Work {
  readonly id: string;
  readonly year: number;
}
interface WorksQuery {
  readonly query: string;
  readonly as_ylo?: string;
  readonly as_yhi?: string;
  readonly lr?: string;
  readonly page?: number;
}
interface WorksPage extends PageLike {
  readonly items: readonly Work[];
}
type Works = PageFactory<WorksQuery, WorksPage, OffsetPaging> & { readonly requests: WorksQuery[]; readonly events: WalkEvent[] };

/** Works of a topic, most of them recent, of which a search gives the first so many. */
function works(count: number, cap: number, year = (index: number): number => 2026 - Math.floor((index % 997) ** 2 / 12_000)): Works {
  const all = Array.from({ length: count }, (_, index): Work => ({ id: `w${index}`, year: year(index) }));
  const requests: WorksQuery[] = [];
  const events: WalkEvent[] = [];
  const factory = (query: WorksQuery): ReturnType<Works> => {
    requests.push(query);
    if (query.query === 'broken') return throwError(() => new Error('broken'));
    const [low, high] = [Number(query.as_ylo ?? 0), Number(query.as_yhi ?? 9999)];
    const page = query.page ?? 0;
    const found = all.filter((work) => work.year >= low && work.year <= high).slice(0, cap);
    const rows = found.slice(page * 10, page * 10 + 10);
    return of({ operation: 'scholarSearch', query, data: { scholar_results: rows, pagination: {} }, items: rows });
  };
  const { spec } = scholarSearch;
  return Object.assign(factory, { paging: spec.paging, spec, requests, events, notify: (event: WalkEvent) => void events.push(event) });
}

async function run(
  factory: Works,
  options: Partial<SplitWhenFullOptions<WorksQuery, Work>> = {},
  queries: WorksQuery[] = [{ query: 'a' }],
) {
  const summaries: SplitSummary<WorksQuery>[] = [];
  const split = splitWhenFull(factory, { split: byYear({ to: 2026 }), ...options, summary: { next: (each) => summaries.push(each) } });
  const rows = await lastValueFrom(from(queries).pipe(split, items(), toArray()));
  return { ids: rows.map((row) => (row as Work).id), summary: summaries[0]! };
}

describe('splitWhenFull', () => {
  it('finds all 4,000 works of a topic under a cap of 1,000, by year, each once', async () => {
    const factory = works(4000, 1000);
    const { ids, summary } = await run(factory);
    expect(ids).toHaveLength(4000);
    expect(new Set(ids).size).toBe(4000);
    expect(summary).toMatchObject({ rows: 4000, outside: 0, full: [] });
    expect(summary.again).toBeGreaterThan(0);
    expect(factory.requests.length).toBeLessThan(2000);
  });

  it('splits no query that was not full', async () => {
    const factory = works(400, 1000);
    const { ids, summary } = await run(factory);
    expect(ids).toHaveLength(400);
    expect(summary.queries).toBe(1);
  });

  it('says what it left full, in the summary and to the operation', async () => {
    const factory = works(300, 100, () => 2020);
    const { ids, summary } = await run(factory, { full: 100 });
    expect(ids).toHaveLength(100);
    expect(summary.full).toEqual([{ query: 'a', as_ylo: '2020', as_yhi: '2020' }]);
    expect(factory.events).toEqual([expect.objectContaining({ type: 'capped', limit: 'full', items: 100 })]);
  });

  it('finds works from before and after its years with the first and the last one, and says where they are too many', async () => {
    const factory = works(300, 100, (index) => 1985 + (index % 30));
    const { ids, summary } = await run(factory, { full: 100, split: byYear({ from: 1990, to: 2000 }) });
    expect(new Set(ids).size).toBe(260);
    expect(summary.full).toEqual([{ query: 'a', as_ylo: '2001' }]);
  });

  it('splits by values, once', async () => {
    const factory = works(300, 100);
    const { summary } = await run(factory, { full: 100, split: byValues('lr', ['lang_de', 'lang_en']) });
    expect(summary).toMatchObject({ queries: 3, rows: 100, again: 200 });
    expect(summary.full.map(({ lr }) => lr)).toEqual(['lang_de', 'lang_en']);
  });

  it('takes an operator for the walk, and a function that says when one was full', async () => {
    const factory = works(300, 100);
    const full = ({ rows }: { readonly rows: readonly unknown[] }): boolean => rows.length === 100;
    const walk = splitWhenFull<WorksQuery, WorksPage>(offsetPages(factory), {
      full,
      by: 'id',
      split: (query) => (query.as_ylo === undefined ? [{ ...query, as_ylo: '2000', as_yhi: '2020' }, { ...query, as_ylo: '2021' }] : []), // prettier-ignore
    });
    const rows = await lastValueFrom(of<WorksQuery>({ query: 'a' }).pipe(walk, items(), toArray()));
    expect(new Set(rows.map((row) => (row as Work).id)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(100);
  });

  it('keeps the limit of requests in flight, whatever was split', async () => {
    let [open, most] = [0, 0];
    const factory = works(400, 100);
    const slow = Object.assign(
      (query: WorksQuery) =>
        from(
          (async () => {
            most = Math.max(most, ++open);
            await new Promise((resolve) => setImmediate(resolve));
            open--;
            return lastValueFrom(factory(query));
          })(),
        ),
      { paging: factory.paging, spec: factory.spec },
    );
    await lastValueFrom(
      from([{ query: 'a' }, { query: 'b' }]).pipe(splitWhenFull(slow, { full: 100, concurrency: 3, split: byYear() }), toArray()),
    );
    expect(most).toBe(3);
  });

  it('comes to an end where the service does not heed the years', async () => {
    const factory = works(300, 100);
    const heedless = Object.assign((query: WorksQuery) => factory({ query: query.query, page: query.page ?? 0 }), { ...factory });
    const { ids, summary } = await run(heedless, { full: 100, concurrency: 1 });
    expect(ids).toHaveLength(100);
    expect(summary.full.length).toBeGreaterThan(0);
    expect(summary.queries).toBeLessThan(600);
  });

  it('ends with the error of a walk', async () => {
    await expect(run(works(3, 100), {}, [{ query: 'broken' }])).rejects.toThrow('broken');
  });

  it('refuses what cannot work when it is called', () => {
    const factory = works(1, 1);
    const bare = Object.assign((query: WorksQuery) => factory(query), { paging: factory.paging });
    expect(() => splitWhenFull(bare, { split: byYear() })).toThrow('full must be');
    expect(() => splitWhenFull(factory, { split: byYear(), full: 0 })).toThrow('full');
    expect(() => splitWhenFull(factory, { split: undefined as never })).toThrow('split must be a function');
    expect(() => byYear({ from: 20.5 })).toThrow('from must be a year');
    expect(() => byYear({ from: 2020, to: 2000 })).toThrow('from must be at most to, which is 2000, not 2020');
    expect(() => byValues('price', [])).toThrow('values must be');
    expect(() => byValues('', ['a'])).toThrow('param must be');
  });
});
