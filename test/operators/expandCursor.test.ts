import { catchError, concat, count, from, last, map, NEVER, of, range, take, tap, throwError, toArray, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { expandCursor } from '../../operators/index.ts';
import { cursorPaging, fakeFactory, page, pagesOf } from './fakeFactory.ts';

const collect = <T>(stream: Observable<T>): { values: T[]; error: unknown; complete: boolean } => {
  const seen: { values: T[]; error: unknown; complete: boolean } = { values: [], error: undefined, complete: false };
  stream.subscribe({
    next: (value) => seen.values.push(value),
    error: (error) => (seen.error = error),
    complete: () => (seen.complete = true),
  });
  return seen;
};

describe('expandCursor', () => {
  it('requests each page with the token of the one before', () => {
    const factory = pagesOf(3);
    expect(collect(of({ q: 'x' }).pipe(expandCursor(factory)))).toMatchObject({ complete: true, values: { length: 3 } });
    expect(factory.asked).toEqual([{ q: 'x' }, { q: 'x', cursor: '2' }, { q: 'x', cursor: '3' }]);
  });

  it.each([1, 2, 5])('costs %i requests for the pages taken', (n) => {
    const factory = pagesOf(100);
    collect(of({ q: 'x' }).pipe(expandCursor(factory), take(n)));
    expect(factory.asked).toHaveLength(n);
  });

  it('costs nothing before it is subscribed to', () => {
    const factory = pagesOf(2);
    of({ q: 'x' }).pipe(expandCursor(factory));
    expect(factory.asked).toEqual([]);
  });

  it('walks 5,000 pages that come at once without growing the stack', () => {
    const factory = pagesOf(5000);
    expect(collect(of({ q: 'x' }).pipe(expandCursor(factory), count())).values).toEqual([5000]);
  });

  it('walks 5,000 queries that come at once without growing the stack', () => {
    expect(
      collect(
        range(5000).pipe(
          map((q) => ({ q })),
          expandCursor(pagesOf(1)),
          count(),
        ),
      ).values,
    ).toEqual([5000]);
  });

  it('lets walks interleave, as many at once as it may', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ cold, expectObservable }) => {
      const factory = fakeFactory(cursorPaging, (query) => {
        const number = Number(query['cursor'] ?? 1);
        const response = page(query, { rows: [{ id: `${query['q'] as string}${number}` }], data: number < 2 ? { next: '2' } : {} });
        return cold('-----(a|)', { a: response });
      });
      const pages = of({ q: 'p' }, { q: 'q' }, { q: 'r' }).pipe(
        expandCursor(factory, { concurrency: 2 }),
        map(({ items }) => items[0]!['id'] as string),
      );
      expectObservable(pages).toBe('-----(ab)-(cd)-e----(f|)', { a: 'p1', b: 'q1', c: 'p2', d: 'q2', e: 'r1', f: 'r2' });
    });
  });

  it('starts where it is told to', () => {
    const factory = pagesOf(9);
    collect(of({ q: 'x' }).pipe(expandCursor(factory, { startCursor: '8' })));
    expect(factory.asked.map(({ cursor }) => cursor)).toEqual(['8', '9']);
  });

  it('tells the factory that a limit cut a walk short, after the last page', () => {
    const factory = pagesOf(9);
    const order: string[] = [];
    const pages = of({ q: 'x' }).pipe(
      expandCursor(factory, { maxPages: 2 }),
      tap(() => order.push(`page, told ${factory.told.length}`)),
    );
    expect(collect(pages).complete).toBe(true);
    expect(order).toEqual(['page, told 0', 'page, told 0']);
    expect(factory.told).toMatchObject([{ type: 'capped', limit: 'maxPages', pages: 2, items: 2, nextCursor: '3' }]);
  });

  it('requests no further page once there are enough rows', () => {
    const factory = pagesOf(9);
    collect(of({ q: 'x' }).pipe(expandCursor(factory, { maxItems: 3 })));
    expect(factory.asked).toHaveLength(3);
    expect(factory.told).toMatchObject([{ limit: 'maxItems' }]);
  });

  it('delivers the pages so far before the error of a ring of tokens', () => {
    const factory = fakeFactory(cursorPaging, ({ cursor }) => ({
      rows: [{ cursor }],
      data: { next: cursor === 'b' ? 'a' : cursor === 'a' ? 'b' : 'a' },
    }));
    const seen = collect(of({ q: 'x' }).pipe(expandCursor(factory)));
    expect(seen.values).toHaveLength(3);
    expect(seen.error).toMatchObject({ name: 'PaginationError', lastCursor: 'b' });
  });

  it('does not deliver a page that repeats the one before', () => {
    const factory = fakeFactory(cursorPaging, ({ cursor }) => ({ rows: [{ same: true }], data: { next: `${Number(cursor ?? 0) + 1}` } }));
    expect(collect(of({ q: 'x' }).pipe(expandCursor(factory)))).toMatchObject({ values: { length: 1 }, error: { lastCursor: '1' } });
  });

  it('passes a request’s error on and ends the other walks', () => {
    const factory = fakeFactory(cursorPaging, ({ q }) => (q === 'bad' ? throwError(() => 'down') : NEVER));
    const seen = collect(from([{ q: 'good' }, { q: 'bad' }]).pipe(expandCursor(factory)));
    expect(seen.error).toBe('down');
  });

  it('fails on a response that holds no page', () => {
    const factory = fakeFactory(cursorPaging, () => from([]));
    expect(collect(of({ q: 'x' }).pipe(expandCursor(factory))).error).toMatchObject({ message: expect.stringContaining('no page') });
  });

  it('requests another list when rows names one', () => {
    const requests: unknown[] = [];
    const factory = Object.assign((query: object, request?: object) => (requests.push(request), of(page(query, { rows: [] }))), {
      paging: cursorPaging,
    });
    collect(of({}).pipe(expandCursor(factory as never, { rows: 'topics' })));
    expect(requests).toEqual([{ rows: 'topics' }]);
  });

  it('fails when the user’s cursorAt or notify throws', () => {
    const mine = new Error('mine');
    const fail = (): never => {
      throw mine;
    };
    expect(collect(of({ q: 'x' }).pipe(expandCursor(pagesOf(2), { cursorAt: fail }))).error).toBe(mine);
    const factory = Object.assign(pagesOf(3), { notify: fail });
    expect(collect(of({ q: 'x' }).pipe(expandCursor(factory, { maxPages: 1 }))).error).toBe(mine);
  });

  it('can be subscribed to again, from the start', () => {
    const factory = pagesOf(2);
    const pages = of({ q: 'x' }).pipe(expandCursor(factory));
    collect(
      concat(pages, pages).pipe(
        last(),
        catchError(() => of()),
        toArray(),
      ),
    );
    expect(factory.asked).toHaveLength(4);
  });

  it.each([{ maxPages: 0 }, { concurrency: 0 }, { concurrency: 1.5 }, { maxItems: -1 }])('refuses %o when it is called', (options) => {
    expect(() => expandCursor(pagesOf(1), options)).toThrow(RangeError);
  });
});
