import { lastValueFrom, type Observable, of, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { distinctBy, expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../../operators/index.ts';
import type { Fault } from '../../src/sandbox/index.ts';
import { World } from '../../src/sandbox/world/World.ts';
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
  it.each<[Fault, number]>([
    [{ fault: 'repeatedToken' }, 2],
    [{ fault: 'tokenRing', length: 1 }, 2],
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
      // Rows are missing from what the service claims, so the empty page is requested once more, and is empty again.
      expect(values.map((page) => page.items.length)).toEqual([1, 0, 1, 1, 1, 1]);
      expect(sandbox.count()).toBe(7);
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
  it.each<[Fault, number]>([
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
      const cursor = await all(of(reviews).pipe(expandCursor(client.mapsReviews, { maxPages: 30 })));
      const offset = await all(of(places).pipe(offsetPages(client.mapsSearch, { maxItems: 200 })));
      expect([cursor.values.length, cursor.error, offset.values.length, offset.error]).toEqual([30, undefined, 10, undefined]);
      expect(eventsOf('truncated')).toMatchObject([
        { operation: 'mapsReviews', limit: 'maxPages', pages: 30, nextCursor: expect.any(String) },
        { operation: 'mapsSearch', limit: 'maxItems', items: 200, nextCursor: 200 },
      ]);
      expect(sandbox.count()).toBe(40);
    });
  });

  it('ends with the subscription, without one more page', async () => {
    await withFaults([{ fault: 'endlessWalk' }], async ({ client, sandbox }) => {
      await lastValueFrom(of(reviews).pipe(expandCursor(client.mapsReviews), take(7)));
      expect(sandbox.count()).toBe(7);
    });
  });
});

describe('overlapping pages, the same id twice', () => {
  it('once, when a key is given', async () => {
    await withFaults([{ fault: 'overlap', rows: 1 }], async ({ client }) => {
      const rows = of({ data_id: 'place 3' }).pipe(expandCursor(client.mapsReviews), items());
      const plain = await lastValueFrom(rows.pipe(toArray()));
      const distinct = await lastValueFrom(rows.pipe(distinctBy('review_id'), toArray()));
      expect(distinct).toHaveLength(45);
      expect(plain.length).toBeGreaterThan(45);
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
    immersiveProduct: { page_token: new World({ seed: 'trawler', overviewTtlMs: 0, now: Date.now }).seal('product', 'chair') },
    jobSearch: { query: 'coffee' },
    hotelSearch: stay,
    mapsReviews: { data_id: 'place 2', results: 2 },
    mapsPhotos: { data_id: 'place 2' },
    mapsPosts: { data_id: 'place 2' },
    scholarProfiles: { mauthors: 'Oxford' },
  };
  type Name = keyof typeof walks;
  /** `all` rows came; some didn't and that was `told`; some `never` came in any response; or some were missed and `nothing` says so. */
  type Verdict = 'all' | 'told' | 'never' | 'nothing';
  const faults = {
    'a bad row': { fault: 'badRows', nth: 1 },
    'a short page': { fault: 'fewerRows', nth: 2 },
    'an empty page': { fault: 'emptyPage', nth: 2 },
    'no token': { fault: 'token', nth: 2 },
    'the same token': { fault: 'repeatedToken' },
    'the same list again': { fault: 'samePage' },
    'no list': { fault: 'list', nth: 2 },
  } as const;
  type Verdicts = { readonly [fault in keyof typeof faults]?: Verdict };

  const counted: Verdicts = {
    'a bad row': 'told',
    'a short page': 'never',
    'an empty page': 'nothing', // it is the end, and nothing in it says otherwise
    'the same list again': 'told',
    'no list': 'told',
  };
  const byToken: Verdicts = {
    'a bad row': 'told',
    'a short page': 'never',
    'an empty page': 'never',
    'no token': 'nothing', // nor is it known that there ought to be one
    'the same token': 'told',
    'the same list again': 'told',
    'no list': 'told',
  };
  const table: { readonly [N in Name]: Verdicts } = {
    webSearch: { ...counted, 'a bad row': 'never', 'no list': 'nothing' }, // rows and list aren't documented
    lightSearch: { ...counted, 'an empty page': 'all' }, // it lists further pages
    mobileSearch: { ...counted, 'a bad row': 'never' },
    imageSearch: counted,
    videoSearch: { ...counted, 'an empty page': 'all' },
    mapsSearch: counted,
    scholarSearch: { ...counted, 'an empty page': 'never' },
    immersiveProduct: { ...counted, 'a short page': 'all' }, // counts on from what came
    jobSearch: byToken,
    hotelSearch: { ...byToken, 'a bad row': 'never' },
    // it says how many reviews there are
    mapsReviews: { ...byToken, 'a short page': 'told', 'an empty page': 'all', 'no token': 'all', 'no list': 'all' },
    mapsPhotos: byToken,
    mapsPosts: { ...byToken, 'no token': 'told' },
    scholarProfiles: { ...byToken, 'no token': 'told' },
  };

  it.each(Object.keys(walks) as Name[])('%s gives all rows, or says what is missing where a response shows it', async (name) => {
    await withFaults([], async ({ client, sandbox, events }) => {
      const factory = client[name] as unknown as PageFactory<object, PageLike>;
      const rows = name === 'hotelSearch' ? 'properties' : undefined;
      const walk = async (fault?: Fault): Promise<{ readonly rows: readonly string[]; readonly told: boolean; readonly asked: number }> => {
        const told = events.length;
        sandbox.reset();
        sandbox.setFaults(fault === undefined ? [] : [{ ...fault, ...(rows !== undefined && !/token/i.test(fault.fault) && { list: rows }) } as Fault]); // prettier-ignore
        const options = { ...(rows !== undefined && { rows }), maxPages: 50 } as { readonly maxPages: number };
        const pages$ = of(walks[name] as object).pipe(factory.paging.kind === 'cursor' ? expandCursor(factory as never, options) : offsetPages(factory as never, options)); // prettier-ignore
        const { values, error } = await all(pages$ as Observable<PageLike>);
        return {
          rows: values.flatMap((page) => page.items.map((row) => JSON.stringify(row))),
          told: error !== undefined || events.slice(told).some(({ type }) => type === 'short' || type === 'drift'),
          asked: new Set(sandbox.requests.map(({ query }) => JSON.stringify(query))).size,
        };
      };
      const whole = await walk();
      expect([whole.told, whole.asked > 2]).toEqual([false, true]);
      const verdicts: { [fault: string]: Verdict } = {};
      for (const [kind, fault] of Object.entries(faults)) {
        if (factory.paging.kind !== 'cursor' && /token/i.test(fault.fault)) continue;
        const { rows: came, told, asked } = await walk(fault);
        const missing = whole.rows.filter((row) => !came.includes(row)).length;
        verdicts[kind] = missing === 0 ? 'all' : told ? 'told' : asked >= whole.asked ? 'never' : 'nothing';
      }
      expect(verdicts).toEqual(table[name]);
    });
  });
});
