import { count, finalize, map, of, take, throwError, timer, toArray, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { offsetPages, type OffsetPaging } from '../../operators/index.ts';
import { fakeFactory, offsetPaging, page, type FakeFactory, type FakePage } from './fakeFactory.ts';

/** So many full pages of two rows, then an empty one, each after as many frames as `delayOf` says. */
function counted(full: number, paging: OffsetPaging = offsetPaging, delayOf?: (number: number) => number): FakeFactory<OffsetPaging> {
  const size = paging.step === 'received' ? 2 : paging.step;
  const gone = (): void => void (factory.open.now -= 1);
  const factory = fakeFactory(paging, (query): Observable<FakePage> => {
    const number = ((query[paging.param] ?? 0) as number) / size;
    const response = page(query, { rows: number < full ? [{ id: number * 2 }, { id: number * 2 + 1 }] : [] });
    return delayOf === undefined
      ? of(response)
      : timer(delayOf(number)).pipe(
          map(() => response),
          finalize(gone),
        );
  });
  return factory;
}
const values = <T>(stream: Observable<T>): T[] => {
  let seen: T[] = [];
  let failure: unknown;
  stream.pipe(toArray()).subscribe({ next: (all) => (seen = all), error: (error) => (failure = error) });
  if (failure !== undefined) throw failure;
  return seen;
};
const virtually = (run: Parameters<TestScheduler['run']>[0]): void => {
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(run);
};

describe('offsetPages', () => {
  it.each([
    [{ ...offsetPaging }, [undefined, 1, 2, 3]],
    [{ ...offsetPaging, step: 20 }, [undefined, 20, 40, 60]],
    [{ ...offsetPaging, step: 'received' as const, param: 'sori' }, [undefined, 2, 4, 6]],
  ])('counts on as %o says, and costs one page more where the end can’t be known', (paging, offsets) => {
    const factory = counted(3, paging);
    expect(values(of({ q: 'x' }).pipe(offsetPages(factory)))).toHaveLength(4);
    expect(factory.asked.map((query) => query[paging.param])).toEqual(offsets);
  });

  it('costs no extra page if a page says that it is the last', () => {
    const factory = fakeFactory({ ...offsetPaging, more: 'more' }, (query) => ({
      rows: [{ query }],
      data: { more: query['page'] !== 2 },
    }));
    values(of({}).pipe(offsetPages(factory)));
    expect(factory.asked).toHaveLength(3);
  });

  describe('with a claim of how many rows there are', () => {
    /** Page 1 is empty so many times. */
    const claiming = (empty: number): FakeFactory<OffsetPaging> => {
      let left = empty;
      const answer = ({ page: number = 0 }: { readonly page?: unknown }): { rows: object[]; data: object } => {
        const rows =
          number === 1 && left-- > 0 ? [] : Number(number) < 3 ? [{ id: `${String(number)}a` }, { id: `${String(number)}b` }] : [];
        return { rows, data: { total: 6 } };
      };
      return Object.assign(fakeFactory(offsetPaging, answer), { claims: { at: 'total' } });
    };

    it.each([1, 3])('requests an empty page once more, with lookahead %d', (lookahead) => {
      const factory = claiming(1);
      const pages = values(of({}).pipe(offsetPages(factory, { lookahead, onShort: 'error' })));
      expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(['0a', '0b', '1a', '1b', '2a', '2b']);
      expect(factory.told).toEqual([]);
    });

    it.each([1, 3])('tells or fails where it stays empty, with lookahead %d', (lookahead) => {
      const factory = claiming(2);
      const short = { type: 'short', operation: 'fake', query: {}, got: 2, claimed: 6, tolerable: false };
      values(of({}).pipe(offsetPages(factory, { lookahead })));
      expect(factory.told).toEqual([short]);
      expect(() => values(of({}).pipe(offsetPages(claiming(2), { lookahead, onShort: 'error' })))).toThrow('2 of the 6 rows');
    });
  });

  it('goes on from the page that the query names, or from startPage', () => {
    const factory = counted(5);
    values(of({ page: 4 }).pipe(offsetPages(factory)));
    values(of({}).pipe(offsetPages(factory, { startPage: 3, maxPages: 1 })));
    expect(factory.asked.map((query) => query['page'])).toEqual([4, 5, 3]);
    expect(factory.told).toMatchObject([{ type: 'capped', nextCursor: 4 }]);
  });

  it.each([1, 2, 4])('costs %i requests for the pages taken', (n) => {
    const factory = counted(50);
    values(of({}).pipe(offsetPages(factory), take(n)));
    expect(factory.asked).toHaveLength(n);
  });

  it.each([1, 4])('walks 5,000 pages that come at once without growing the stack, lookahead %i', (lookahead) => {
    const factory = fakeFactory(offsetPaging, ({ page: n }) => ({ rows: n === 4999 ? [] : [{ n }] }));
    expect(values(of({}).pipe(offsetPages(factory, { lookahead }), count()))).toEqual([5000]);
  });

  it('keeps the order of pages that come out of order', () => {
    virtually(({ flush }) => {
      const factory = counted(6, offsetPaging, (number) => 1 + ((number * 7) % 5));
      const seen: unknown[] = [];
      of({})
        .pipe(offsetPages(factory, { lookahead: 4 }))
        .subscribe(({ query }) => seen.push(query['page'] ?? 0));
      flush();
      expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(factory.open.most).toBe(4);
    });
  });

  it('requests nothing past a known end, and cancels requests past it', () => {
    virtually(({ flush }) => {
      // Page 2 is empty and comes first; pages 0 and 1 take longer, page 3 longest.
      const factory = counted(2, offsetPaging, (number) => [20, 30, 1, 99][number]!);
      const seen: unknown[] = [];
      let ended = 0;
      of({})
        .pipe(offsetPages(factory, { lookahead: 4 }))
        .subscribe({ next: ({ query }) => seen.push(query['page'] ?? 0), complete: () => (ended = 1) });
      flush();
      expect([seen, ended, factory.asked.length, factory.open.now]).toEqual([[0, 1, 2], 1, 4, 0]);
    });
  });

  it('ignores an error past the end', () => {
    expect.hasAssertions();
    virtually(({ expectObservable }) => {
      const factory = fakeFactory(offsetPaging, (query): Observable<FakePage> => {
        if (query['page'] === 1) return throwError(() => 'behind the end');
        return timer(3).pipe(map(() => page(query, { rows: [] })));
      });
      expectObservable(
        of({}).pipe(
          offsetPages(factory, { lookahead: 2 }),
          map(() => 'a'),
        ),
      ).toBe('---(a|)');
    });
  });

  it('passes an error on once the pages before it were delivered', () => {
    expect.hasAssertions();
    virtually(({ expectObservable }) => {
      const factory = fakeFactory(offsetPaging, (query): Observable<FakePage> => {
        if (query['page'] === 1) return throwError(() => 'down');
        return timer(3).pipe(map(() => page(query, { rows: [{ query }] })));
      });
      expectObservable(
        of({}).pipe(
          offsetPages(factory, { lookahead: 2 }),
          map(() => 'a'),
        ),
      ).toBe('---(a#)', undefined, 'down');
    });
  });

  it('never requests beyond maxPages, even with lookahead', () => {
    const factory = counted(50);
    expect(values(of({}).pipe(offsetPages(factory, { lookahead: 8, maxPages: 3 })))).toHaveLength(3);
    expect(factory.asked).toHaveLength(3);
    expect(factory.told).toMatchObject([{ type: 'capped', limit: 'maxPages', pages: 3 }]);
  });

  it('costs at most lookahead - 1 extra requests for the pages taken', () => {
    virtually(({ flush }) => {
      const factory = counted(50, offsetPaging, () => 2);
      of({})
        .pipe(offsetPages(factory, { lookahead: 3 }), take(2))
        .subscribe();
      flush();
      expect(factory.asked.length).toBeLessThanOrEqual(4);
      expect(factory.open.now).toBe(0);
    });
  });

  it('fails on a list that is absent, also where maxPages bounds the walk', () => {
    const absent = fakeFactory(offsetPaging, ({ page: n }) => ({ rows: n === undefined ? undefined : [{ n }] }));
    expect(() => values(of({}).pipe(offsetPages(absent)))).toThrow('has no list of rows, not even an empty one');
    expect(() => values(of({}).pipe(offsetPages(absent, { maxPages: 3 })))).toThrow('has no list of rows');
  });

  it('refuses a lookahead where the next offset depends on the rows', () => {
    expect(() => offsetPages(counted(1, { ...offsetPaging, step: 'received' }), { lookahead: 2 })).toThrow(/lookahead must be 1/);
    expect(() => offsetPages(counted(1), { lookahead: 0 })).toThrow(RangeError);
    expect(() => offsetPages(counted(1, { ...offsetPaging, step: 'received' }), { startPage: 2 })).toThrow(RangeError);
  });

  it('requests nothing of a query that lacks what further pages need, unless one page is wanted', () => {
    const factory = counted(2, { ...offsetPaging, needs: ['view', 'zoom'] });
    const walk =
      (query: object, options = {}) =>
      () =>
        values(of(query).pipe(offsetPages(factory as never, options)));
    expect(walk({ view: undefined })).toThrow(
      expect.objectContaining({
        name: 'PaginationError',
        message: expect.stringContaining('pages after the first need view and zoom: give'),
      }),
    );
    expect(factory.asked).toEqual([]);
    expect(walk({}, { maxPages: 1 })()).toHaveLength(1);
    expect(walk({ view: 'x', zoom: 1 })()).toHaveLength(3);
  });
});
