import { count, EMPTY, from, map, NEVER, of, range, Subject, throwError, timer, toArray, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { fanOut, mergeBounded, type Failure } from '../../operators/index.ts';
import { Queue } from '../../operators/kit/workThrough.ts';

class HttpError extends Error {
  override readonly name: string = 'HttpError';
  readonly query = { id: 2, cursor: 'x' };
  readonly attempts = 5;
}
const down = new HttpError('down');
const failing = ({ id }: { id: number }): Observable<number> => (id === 2 ? throwError(() => down) : of(id * 10));
const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
const run = <T>(stream: Observable<T>): { values: T[]; error?: unknown } => {
  const seen: { values: T[]; error?: unknown } = { values: [] };
  stream.subscribe({ next: (value) => seen.values.push(value), error: (error) => (seen.error = error) });
  return seen;
};

describe('fanOut', () => {
  it('takes 20,000 ids, each once', () => {
    const ids = range(40_000).pipe(map((i) => ({ id: i % 20_000 })));
    const seen = new Set<number>();
    let twice = 0;
    ids.pipe(fanOut(({ id }) => of(id), { by: 'id' })).subscribe((id) => {
      if (seen.has(id)) twice += 1;
      seen.add(id);
    });
    expect([seen.size, twice]).toEqual([20_000, 0]);
  });

  it('takes 20,000 rows that wait, in their order', () => {
    const gate = new Subject<void>();
    let next = 0;
    let wrong = 0;
    range(20_000)
      .pipe(fanOut((n) => (n === 0 ? gate.pipe(map(() => n)) : of(n)), { concurrency: 1 }))
      .subscribe((n) => (wrong += n === next++ ? 0 : 1));
    expect(next).toBe(0);
    gate.next();
    gate.complete();
    expect([next, wrong]).toEqual([20_000, 0]);
  });

  it('never runs more streams at once than it may', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ flush }) => {
      let now = 0;
      let most = 0;
      const busy = (): Observable<unknown> => {
        most = Math.max(most, (now += 1));
        return timer(3).pipe(map(() => (now -= 1)));
      };
      range(20)
        .pipe(fanOut(busy, { concurrency: 3 }))
        .subscribe();
      flush();
      expect([most, now]).toEqual([3, 0]);
    });
  });

  it('takes each key once, and every row that has none', () => {
    const keyed = [{ id: 1 }, { id: 1 }, { id: undefined }, { id: undefined }, { id: null }, { id: 2 }];
    expect(run(from(keyed).pipe(fanOut(({ id }) => of(id), { by: 'id' }))).values).toEqual([1, undefined, undefined, null, 2]);
  });

  it('fails with the stream’s own error unless told otherwise', () => {
    expect(run(from(rows).pipe(fanOut(failing)))).toEqual({ values: [10], error: down });
  });

  it('skips failures and reports them, with everything needed to retry', () => {
    const told: Failure<{ id: number }>[] = [];
    const seen = run(from(rows).pipe(fanOut(failing, { by: 'id', failures: { next: (failure) => told.push(failure) } })));
    expect(seen).toEqual({ values: [10, 30] });
    expect(told).toEqual([{ row: rows[1], key: 2, query: down.query, attempts: 5, cause: down }]);
  });

  it('replaces a failure by the result of a function', () => {
    expect(run(from(rows).pipe(fanOut(failing, { onError: ({ row }) => of(-row.id) }))).values).toEqual([10, -2, 30]);
    expect(run(from(rows).pipe(fanOut(failing, { onError: () => undefined }))).values).toEqual([10, 30]);
    const mine = new Error('mine');
    const rethrow = (): never => {
      throw mine;
    };
    expect(run(from(rows).pipe(fanOut(failing, { onError: rethrow }))).error).toBe(mine);
  });

  it.each(['AuthError', 'BudgetError'])('never skips %s, which concerns every request', (name) => {
    const error = Object.assign(new Error('no'), { name });
    expect(run(from(rows).pipe(fanOut(() => throwError(() => error), { onError: 'skip' }))).error).toBe(error);
  });

  it('emits to failures$ and completes it with the last stream', () => {
    const operator = fanOut(failing, { onError: 'skip' });
    const failures = run(
      operator.failures$.pipe(
        map(({ row }) => row.id),
        toArray(),
      ),
    );
    run(from(rows).pipe(operator));
    expect(failures.values).toEqual([[2]]);
    const again = run(operator.failures$.pipe(count()));
    run(from(rows).pipe(operator));
    expect(again.values).toEqual([1]);
  });

  it('completes failures$ when it is unsubscribed, too', () => {
    const operator = fanOut(failing, { onError: 'skip' });
    const failures = run(operator.failures$.pipe(count()));
    NEVER.pipe(operator).subscribe().unsubscribe();
    expect(failures.values).toEqual([0]);
  });

  it('counts a project that throws as a failure of its row', () => {
    const project = ({ id }: { id: number }): Observable<number> => {
      if (id === 2) throw down;
      return of(id);
    };
    expect(run(from(rows).pipe(fanOut(project, { onError: 'skip' }))).values).toEqual([1, 3]);
  });

  it('takes promises and lists for streams', () => {
    expect(run(of(1, 2).pipe(fanOut((n) => [n, n]))).values).toEqual([1, 1, 2, 2]);
  });

  it.each([{ concurrency: 0 }, { concurrency: Number.NaN }, { memory: 0 }, { by: '' as never }, { onError: 'ignore' as never }])(
    'refuses %o when it is called',
    (options) => {
      expect(() => fanOut(() => EMPTY, { by: () => 1, ...options })).toThrow(RangeError);
    },
  );
});

describe('mergeBounded', () => {
  it.each([{ concurrency: 0 }, { backlog: -1 }, { backlog: 2.5 }])('refuses %o when it is called', (options) => {
    expect(() => mergeBounded(() => EMPTY, options)).toThrow(RangeError);
  });
});

describe('Queue', () => {
  it('is first in, first out through growing and shrinking', () => {
    const queue = new Queue<number>();
    const expected: number[] = [];
    let pushed = 0;
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < (round < 30 ? 300 : 20); i++) {
        queue.push(pushed);
        expected.push(pushed++);
      }
      for (let i = 0; i < 160 && expected.length > 0; i++) expect(queue.shift()).toBe(expected.shift());
      expect(queue.length).toBe(expected.length);
    }
    queue.clear();
    expect([queue.length, queue.shift()]).toEqual([0, undefined]);
  });
});
