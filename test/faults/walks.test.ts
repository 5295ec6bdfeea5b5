import { lastValueFrom, type Observable, of, type OperatorFunction, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../../operators/index.ts';
import { more, type NamedFault } from '../sandbox/moreFaults/more.ts';
import { World } from '../../src/sandbox/world/World.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { withFaults } from './rig.ts';

const reviews = { data_id: 'place 2', results: 1 }; // six reviews, so six pages
const places = { query: 'coffee', ll: '@40.74,-73.98,14z' };

/** What a stream gave, and the error that it ended with. */
function all<T>(stream: Observable<T>): Promise<{ readonly values: readonly T[]; readonly error: unknown }> {
  const values: T[] = [];
  return new Promise((resolve) => {
    stream.subscribe({
      next: (value) => values.push(value),
      error: (error: unknown) => resolve({ values, error }),
      complete: () => resolve({ values, error: undefined }),
    });
  });
}

describe('a token that repeats, a ring of tokens', () => {
  it.each<[NamedFault, number]>([
    [{ fault: 'tokenRing', length: 2 }, 3],
    [{ fault: 'tokenRing', length: 3 }, 4],
  ])('%o is an error, with the pages so far delivered and the last good cursor', async (fault, pages) => {
    await withFaults([fault], async ({ client, sandbox }) => {
      const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews)));
      expect(error).toMatchObject({
        name: 'PaginationError',
        operation: 'mapsReviews',
        lastCursor: sandbox.requests.at(-1)?.query['next_page_token'],
      });
      expect([values.length, sandbox.count()]).toEqual([pages, pages]);
    });
  });

  it.each<NamedFault>([{ fault: 'repeatedToken' }, { fault: 'tokenRing', length: 1 }])(
    '%o is an error at the page that brings its own token, after its rows',
    async (fault) => {
      await withFaults([fault], async ({ client, sandbox }) => {
        const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews)));
        expect(error).toMatchObject({ name: 'PaginationError', message: expect.stringContaining('say repeats: true') as string });
        expect([values.length, sandbox.count()]).toEqual([2, 2]);
      });
    },
  );

  it('a page that brings nothing new is an error too, whatever its token', async () => {
    await withFaults([{ fault: 'samePage' }], async ({ client, sandbox }) => {
      const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews)));
      expect(error).toMatchObject({ name: 'PaginationError' });
      // Five more rows are claimed. So the second page is requested once more, and its tokens are followed to a third repeat.
      expect([values.length, sandbox.count()]).toEqual([1, 5]);
    });
    await withFaults([{ fault: 'samePage' }], async ({ client }) => {
      expect((await all(of(places).pipe(offsetPages(client.mapsSearch)))).error).toMatchObject({ name: 'PaginationError' });
    });
  });
});

describe('an empty page in the middle that has a token', () => {
  it('the walk continues', async () => {
    await withFaults([{ fault: 'emptyPage', nth: [2, 3] }], async ({ client, sandbox }) => {
      const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews)));
      expect(error).toBeUndefined();
      // The empty page is requested once more, and is empty again. At the end a row of those claimed is missing, so that page is too.
      expect(values.map((page) => page.items.length)).toEqual([1, 0, 1, 1, 1, 1]);
      expect(sandbox.count()).toBe(8);
    });
  });

  it('three in a row are an error', async () => {
    await withFaults([{ fault: 'emptyPage', nth: [2, 3, 4, 5] }], async ({ client, sandbox }) => {
      const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews)));
      expect(error).toMatchObject({ name: 'PaginationError' });
      expect([values.length, sandbox.count()]).toEqual([4, 5]); // the first of them was requested twice
    });
  });
});

describe('rows that the service claims and that did not come', () => {
  it.each<[NamedFault, number]>([
    [{ fault: 'token', nth: 3 }, 7],
    [{ fault: 'token', as: 'null', nth: 3 }, 7],
    [{ fault: 'token', as: 'empty', nth: 3 }, 7],
    [{ fault: 'emptyPage', nth: 3 }, 7],
    [{ fault: 'repeatedPage', nth: 3 }, 7],
    [{ fault: 'fewerRows', nth: 6 }, 7],
  ])('%o is healed by one request more', async (fault, requests) => {
    await withFaults([fault], async ({ client, sandbox, of: eventsOf }) => {
      const rows$ = of(reviews).pipe(expandCursor(client.mapsReviews, { onShort: 'error' }), items());
      const ids = (await lastValueFrom(rows$.pipe(toArray()))).map((row) => row.review_id);
      expect([ids.length, new Set(ids).size, sandbox.count(), eventsOf('short')]).toEqual([6, 6, requests, []]);
    });
  });

  it.each([
    ['tell', undefined],
    ['error', 'PaginationError: mapsReviews: the walk ended with 2 of the 6 rows'],
  ] as const)('are told with their figures, once the walk has ended: %s', async (onShort, message) => {
    await withFaults([{ fault: 'token', nth: [2, 3] }], async ({ client, of: eventsOf }) => {
      const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews, { onShort })));
      expect(values).toHaveLength(2);
      expect(eventsOf('short')).toMatchObject([{ operation: 'mapsReviews', query: reviews, got: 2, claimed: 6, tolerable: false }]);
      expect(String(error)).toContain(String(message));
    });
  });
});

describe('a walk without end', () => {
  it('a limit of the user ends it, and the truncation is reported', async () => {
    await withFaults([{ fault: 'endlessWalk' }], async ({ client, sandbox, of: eventsOf }) => {
      const cursor = await all(of({ data_id: 'place 2' }).pipe(expandCursor(client.mapsPhotos, { maxPages: 30 })));
      const offset = await all(of(places).pipe(offsetPages(client.mapsSearch, { maxItems: 200 })));
      expect([cursor.values.length, cursor.error, offset.values.length, offset.error]).toEqual([30, undefined, 10, undefined]);
      expect(eventsOf('capped')).toMatchObject([
        { operation: 'mapsPhotos', limit: 'maxPages', pages: 30, nextCursor: expect.any(String) },
        { operation: 'mapsSearch', limit: 'maxItems', items: 200, nextCursor: 200 },
      ]);
      expect(sandbox.count()).toBe(40);
    });
  });

  it('is over once the pages have brought as many rows as they claim', async () => {
    await withFaults([{ fault: 'endlessWalk' }], async ({ client, sandbox }) => {
      const { values, error } = await all(of(reviews).pipe(expandCursor(client.mapsReviews)));
      expect([values.length, error, sandbox.count()]).toEqual([6, undefined, 6]);
    });
  });

  it('ends with the subscription, without one more page', async () => {
    await withFaults([{ fault: 'endlessWalk' }], async ({ client, sandbox }) => {
      await lastValueFrom(of({ data_id: 'place 2' }).pipe(expandCursor(client.mapsPhotos), take(7)));
      expect(sandbox.count()).toBe(7);
    });
  });
});

describe('overlapping pages, the same id twice', () => {
  it('once, without distinctBy', async () => {
    await withFaults([{ fault: 'overlap', rows: 1 }], async ({ client }) => {
      const rows = of({ data_id: 'place 3' }).pipe(expandCursor(client.mapsReviews), items());
      const plain = await lastValueFrom(rows.pipe(toArray()));
      expect(plain).toHaveLength(45);
      expect(new Set(plain.map((row) => row.review_id)).size).toBe(45);
    });
  });
});

describe('a token too old on resume', () => {
  it('is an error with its query, from which the walk can be begun again', async () => {
    await withFaults([{ fault: 'staleToken', nth: 3 }], async ({ client, sandbox }) => {
      const walk = of(reviews).pipe(expandCursor(client.mapsReviews));
      const { values, error } = await all(walk);
      expect(values).toHaveLength(2);
      expect(error).toMatchObject({ name: 'HttpError', status: 400, query: { ...reviews, next_page_token: expect.any(String) } });
      expect((await all(walk)).values).toHaveLength(6);
      expect(sandbox.count()).toBe(9);
    });
  });
});

describe('a walk over every paginated operation, with every fault that bears on it', () => {
  const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-04' };
  const walks = {
    webSearch: { query: 'coffee' },
    lightSearch: { query: 'coffee' },
    mobileSearch: { query: 'coffee' },
    imageSearch: { query: 'coffee' },
    videoSearch: { query: 'coffee' },
    mapsSearch: places,
    scholarSearch: { query: 'coffee', results: 20 },
    immersiveProduct: { page_token: new World({ seed: 'trawler', now: Date.now }).seal('product', 'chair') },
    jobSearch: { query: 'coffee' },
    hotelSearch: stay,
    mapsReviews: { data_id: 'place 2', results: 2 },
    mapsPhotos: { data_id: 'place 2' },
    mapsPosts: { data_id: 'place 2' },
    scholarProfiles: { mauthors: 'Oxford' },
  };
  type Name = keyof typeof walks;
  /**
   * `all` rows came. Or what is missing was `told`. Or a row has another shape, and no shape is documented: it is in the file
   * `as it came`. Or `nothing` in any response shows that there are rows.
   */
  type Verdict = 'all' | 'told' | 'as it came' | 'nothing';
  const faults = {
    'a bad row': { fault: 'badRows' },
    'a short page': { fault: 'fewerRows' },
    'an empty page': { fault: 'emptyPage' },
    'no token': { fault: 'token' },
    'the same token': { fault: 'repeatedToken' },
    'the same list again': { fault: 'samePage' },
    'no list': { fault: 'list' },
  } as const;
  type Verdicts = { readonly [fault in keyof typeof faults]?: Verdict };

  const usual: Required<Verdicts> = {
    'a bad row': 'told',
    'a short page': 'told',
    'an empty page': 'all',
    'no token': 'all',
    'the same token': 'told',
    'the same list again': 'told',
    'no list': 'all',
  };
  const undocumentedRows: Verdicts = { 'a bad row': 'as it came' };
  // Only a claim says that rows are missing, so that such a page is requested again.
  const unclaimed: Verdicts = { 'an empty page': 'told' };
  const byReceived: Verdicts = { 'a short page': 'all' }; // it counts on from the rows that came
  const anyPage: { readonly [N in Name]?: Verdicts } = {
    webSearch: undocumentedRows,
    mobileSearch: undocumentedRows,
    hotelSearch: { ...undocumentedRows, ...unclaimed, 'no list': 'told' },
    immersiveProduct: byReceived,
    scholarSearch: unclaimed,
    jobSearch: unclaimed,
    mapsPhotos: unclaimed,
    mapsPosts: unclaimed,
    scholarProfiles: unclaimed,
  };
  // A search that finds nothing looks like an empty first page, and a first page of 18 rows needn't be a full one.
  const firstPage: { readonly [N in Name]?: Verdicts } = {
    mobileSearch: { 'an empty page': 'nothing' },
    imageSearch: { 'an empty page': 'nothing' },
    mapsSearch: { 'an empty page': 'nothing' },
    immersiveProduct: { 'an empty page': 'nothing' },
    hotelSearch: { 'no token': 'nothing' },
    jobSearch: { 'no token': 'told' },
    mapsPhotos: { 'no token': 'told' },
    mapsPosts: { 'no token': 'told' },
    scholarProfiles: { 'no token': 'told' },
  };

  const isBad = (row: unknown): boolean => JSON.stringify(row) === '{"value":null}';

  describe.each([1, 2])('on page %d', (nth) => {
    it.each(ofTheDay(Object.keys(walks) as Name[], 4, nth))('%s gives all rows, or says that some are missing', async (name) => {
      await withFaults([], async ({ client, sandbox, events }) => {
        const factory = client[name] as unknown as PageFactory<object, PageLike>;
        const list = name === 'hotelSearch' ? { list: 'properties' } : {};
        const walk = async (fault?: NamedFault): Promise<{ readonly rows: readonly unknown[]; readonly told: boolean }> => {
          const before = events.length;
          sandbox.reset();
          sandbox.setFaults(fault === undefined ? [] : [more(fault)]);
          const options = { rows: list.list, maxPages: 50 } as { readonly maxPages: number };
          const walked =
            factory.paging.kind === 'cursor' ? expandCursor(factory as never, options) : offsetPages(factory as never, options);
          const { values, error } = await all(of(walks[name]).pipe(walked as OperatorFunction<object, PageLike>));
          return {
            rows: values.flatMap(({ items }) => items),
            told: error !== undefined || events.slice(before).some(({ type }) => ['short', 'drift', 'thinPage', 'fullEnd'].includes(type)),
          };
        };
        const whole = await walk();
        expect([whole.told, sandbox.count(name) > 2]).toEqual([false, true]);
        const verdicts: { [fault: string]: Verdict } = {};
        for (const [kind, { fault }] of Object.entries(faults)) {
          const isToken = fault === 'token' || fault === 'repeatedToken';
          if (factory.paging.kind !== 'cursor' && isToken) {
            verdicts[kind] = usual[kind as keyof typeof faults];
            continue;
          }
          const spread = fault === 'samePage' || fault === 'repeatedToken' ? {} : { nth };
          const { rows, told } = await walk({ fault, ...(isToken ? {} : list), ...spread } as NamedFault);
          const came = new Set(rows.map((row) => JSON.stringify(row)));
          expect(came.size).toBe(rows.length); // none came twice
          const missing = whole.rows.filter((row) => !came.has(JSON.stringify(row))).length;
          const bad = rows.filter(isBad).length;
          verdicts[kind] = missing === 0 ? 'all' : told ? 'told' : missing === bad ? 'as it came' : 'nothing';
        }
        expect(verdicts).toEqual({ ...usual, ...anyPage[name], ...(nth === 1 ? firstPage[name] : {}) });
      });
    });
  });
});

describe('walks without a fault', () => {
  const stay = { check_in_date: '2026-05-01', check_out_date: '2026-05-04' };
  const token = (name: string): string => new World({ seed: 'trawler', now: Date.now }).seal('product', name);
  /** The query of each walk, and how many rows a full page has where the end is known by that only. */
  const walks = {
    webSearch: [(n: number) => ({ query: `coffee ${n}` }), 10],
    lightSearch: [(n: number) => ({ query: `coffee ${n}` }), 10],
    mobileSearch: [(n: number) => ({ query: `coffee ${n}` }), 10],
    imageSearch: [(n: number) => ({ query: `coffee ${n}` }), 20],
    videoSearch: [(n: number) => ({ query: `coffee ${n}` }), 10],
    mapsSearch: [(n: number) => ({ query: `coffee ${n}`, ll: places.ll }), 20],
    scholarSearch: [(n: number) => ({ query: `coffee ${n}` }), Infinity], // it lists its pages
    immersiveProduct: [(n: number) => ({ page_token: token(`chair ${n}`) }), 10],
    jobSearch: [(n: number) => ({ query: `coffee ${n}` }), 10],
    hotelSearch: [(n: number) => ({ query: `Lisbon ${n}`, ...stay }), Infinity], // three advertised hotels on a page say nothing
    mapsReviews: [(n: number) => ({ data_id: `place ${n}` }), Infinity], // it says how many there are
    mapsPhotos: [(n: number) => ({ data_id: `place ${n}` }), 20],
    mapsPosts: [(n: number) => ({ data_id: `place ${n}` }), 10],
    scholarProfiles: [(n: number) => ({ mauthors: `Oxford ${n}` }), 10],
  } as const;

  it.each(Object.keys(walks) as (keyof typeof walks)[])('of %s give no alarm, and cost one more request if they end full', async (name) => {
    await withFaults([], async ({ client, sandbox, events }) => {
      const factory = client[name] as unknown as PageFactory<object, PageLike>;
      const walked = factory.paging.kind === 'cursor' ? expandCursor(factory as never) : offsetPages(factory as never);
      const [queryOf, size] = walks[name];
      for (const n of ofTheDay([...Array(40).keys()], 2)) {
        sandbox.reset();
        const pages = await lastValueFrom(of(queryOf(n)).pipe(walked as OperatorFunction<object, PageLike>, toArray()));
        const sizes = pages.map(({ items }) => items.length).filter((rows) => rows > 0);
        const last = sizes.at(-1) ?? 0;
        // An only page, however full, never showed a token that could be lost.
        const isFull = last === size && pages.length > 1;
        expect({ n, sizes, requests: sandbox.count(name) }).toEqual({ n, sizes, requests: pages.length + (isFull ? 1 : 0) });
      }
      expect(events.filter(({ type }) => type === 'short' || type === 'drift' || type === 'thinPage')).toEqual([]);
    });
  });
});
