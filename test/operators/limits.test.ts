import { AsyncLocalStorage } from 'node:async_hooks';
import {
  defer,
  EMPTY,
  from,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  range,
  repeat,
  Subject,
  take,
  tap,
  throwError,
  timer,
  toArray,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { backoff, createConcurrencyLimit, createRateLimit, distinctBy, limitConcurrency, limitRate } from '../../operators/index.ts';

const virtually = (run: (helpers: Parameters<Parameters<TestScheduler['run']>[0]>[0], scheduler: TestScheduler) => void): void => {
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  scheduler.run((helpers) => run(helpers, scheduler));
};
const timerOnce = (): Promise<0> => lastValueFrom(timer(0));
/** When each start was let in, in virtual milliseconds. */
const starts = (scheduler: TestScheduler, times: number[]): Observable<never> => defer(() => (times.push(scheduler.now()), []));

describe('limitConcurrency', () => {
  it('is shared by all streams that use the same operator', () => {
    expect.hasAssertions();
    virtually(({ cold, expectObservable, expectSubscriptions }) => {
      const one = limitConcurrency<string>(1);
      const [a, b] = [cold('--a|'), cold('--b|')];
      expectObservable(merge(a.pipe(one), b.pipe(one))).toBe('--a--b|');
      expectSubscriptions(b.subscriptions).toBe('---^--!');
    });
  });

  it('makes room when a stream fails or is unsubscribed', async () => {
    const limit = createConcurrencyLimit(1);
    const seen: unknown[] = [];
    const held = NEVER.pipe(limitConcurrency(limit)).subscribe();
    const failing = throwError(() => 'no')
      .pipe(limitConcurrency(limit))
      .subscribe({ error: (error) => seen.push(error) });
    of('in')
      .pipe(limitConcurrency(limit))
      .subscribe((value) => seen.push(value));
    expect(seen).toEqual([]);
    held.unsubscribe();
    await Promise.resolve();
    expect(seen).toEqual(['no', 'in']);
    failing.unsubscribe();
  });

  it('starts none of the streams that wait when what waits for them ends', async () => {
    for (const end of ['unsubscribe', 'complete', 'error'] as const) {
      const started: Subject<number>[] = [];
      const limit = limitConcurrency<number>(2);
      const stream = defer(() => {
        started.push(new Subject());
        return started.at(-1)!;
      });
      const subscription = range(100)
        .pipe(
          mergeMap(() => stream.pipe(limit)),
          take(1),
        )
        .subscribe({ error: () => undefined });
      if (end === 'unsubscribe') subscription.unsubscribe();
      else if (end === 'complete') started[0]!.next(1);
      else started[0]!.error('no');
      await timerOnce();
      expect([end, started.length]).toEqual([end, 2]);
      expect(await lastValueFrom(of(7).pipe(limit))).toBe(7);
    }
  });

  it('starts the next stream after an error was passed on', async () => {
    const seen: string[] = [];
    const one = limitConcurrency<never>(1);
    const [first, second] = [new Subject<never>(), defer(() => (seen.push('next starts'), EMPTY))];
    first.pipe(one).subscribe({ error: () => seen.push('error') });
    second.pipe(one).subscribe();
    first.error('no');
    await timerOnce();
    expect(seen).toEqual(['error', 'next starts']);
  });

  it('forgets who is unsubscribed while waiting', () => {
    const limit = createConcurrencyLimit(1);
    const source = new Subject();
    const first = NEVER.pipe(limitConcurrency(limit)).subscribe();
    source.pipe(limitConcurrency(limit)).subscribe().unsubscribe();
    first.unsubscribe();
    expect(source.observed).toBe(false);
  });

  it('lets in 5,000 streams that end at once without growing the stack', async () => {
    const limit = createConcurrencyLimit(1);
    const gate = new Subject<never>();
    let seen = 0;
    gate.pipe(limitConcurrency(limit)).subscribe();
    range(5000)
      .pipe(mergeMap((n) => of(n).pipe(limitConcurrency(limit))))
      .subscribe(() => (seen += 1));
    gate.complete();
    await timerOnce();
    expect(seen).toBe(5000);
  });

  it('starts a stream in the async context where it was subscribed to', async () => {
    const storage = new AsyncLocalStorage<number>();
    for (const limit of [limitConcurrency<number | undefined>(1), limitRate<number | undefined>({ requests: 1, perMs: 1 })]) {
      const stream = defer(() => timer(1).pipe(map(() => storage.getStore())));
      const streams = [1, 2, 3, 4, 5].map((n) => storage.run(n, () => lastValueFrom(stream.pipe(limit))));
      expect(await Promise.all(streams)).toEqual([1, 2, 3, 4, 5]);
    }
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %d streams when it is called', (streams) => {
    expect(() => limitConcurrency(streams)).toThrow(RangeError);
  });
});

describe.each([
  ['limitConcurrency', (): MonoTypeOperatorFunction<number> => limitConcurrency(2)],
  ['limitRate', (): MonoTypeOperatorFunction<number> => limitRate({ requests: 1_000_000, perMs: 1000 })],
])('%s', (_, limited) => {
  it('starts a nested stream at once where there is room', () => {
    const limit = limited();
    let pulled = 0;
    const seen: number[] = [];
    range(1000)
      .pipe(
        tap(() => (pulled += 1)),
        limit,
        mergeMap((n) => of(n).pipe(limit)),
        take(3),
      )
      .subscribe((n) => seen.push(n));
    expect([pulled, seen]).toEqual([3, [0, 1, 2]]);
  });

  it('starts at once a stream that is subscribed to again when it ends', () => {
    const seen: number[] = [];
    of(1)
      .pipe(limited(), repeat(), take(1000))
      .subscribe((n) => seen.push(n));
    expect(seen).toHaveLength(1000);
  });
});

describe('limitRate', () => {
  it('starts nested streams in line while it lets in those that waited', () => {
    virtually(({ flush }, scheduler) => {
      const limit = limitRate<string>({ requests: 2, perMs: 10, scheduler });
      const seen: string[] = [];
      const nested = (name: string): Observable<string> =>
        of(name).pipe(
          limit,
          mergeMap((outer) => of(`${outer} inside`).pipe(limit)),
        );
      merge(nested('a'), nested('b'), nested('c')).subscribe((value) => seen.push(`${scheduler.now()} ${value}`));
      flush();
      expect(seen).toEqual(['0 a inside', '20 b inside', '20 c inside']);
    });
  });
  it('lets this many start in any span of time, however many streams share it', () => {
    virtually(({ flush }, scheduler) => {
      const limit = createRateLimit({ requests: 2, perMs: 10, scheduler });
      const times: number[] = [];
      range(7)
        .pipe(mergeMap(() => starts(scheduler, times).pipe(limitRate(limit))))
        .subscribe();
      flush();
      expect(times).toEqual([0, 0, 10, 10, 20, 20, 30]);
    });
  });

  it('looks at any span, not at fixed ones', () => {
    virtually(({ cold, flush }, scheduler) => {
      const limit = createRateLimit({ requests: 2, perMs: 10, scheduler });
      const times: number[] = [];
      cold('a-------bcd|')
        .pipe(mergeMap(() => starts(scheduler, times).pipe(limitRate(limit))))
        .subscribe();
      flush();
      expect(times).toEqual([0, 8, 10, 18]);
    });
  });

  it('keeps no timer for whoever is unsubscribed', () => {
    virtually(({ flush }, scheduler) => {
      const limit = createRateLimit({ requests: 1, perMs: 10, scheduler });
      const times: number[] = [];
      starts(scheduler, times).pipe(limitRate(limit)).subscribe();
      starts(scheduler, times).pipe(limitRate(limit)).subscribe().unsubscribe();
      expect(scheduler.actions).toHaveLength(0);
      flush();
      expect(times).toEqual([0]);
    });
  });

  it.each([
    { requests: 0, perMs: 1 },
    { requests: 1, perMs: 0 },
    { requests: 1, perMs: Number.NaN },
    { requests: 1, perMs: 2 ** 31 },
  ])('refuses %o when it is called', (options) => {
    expect(() => limitRate(options)).toThrow(RangeError);
  });
});

describe('backoff', () => {
  const failing = (times: number[], scheduler: TestScheduler, until = Infinity, error: unknown = 'no'): Observable<string> =>
    defer(() => (times.push(scheduler.now()), times.length > until ? of('ok') : throwError(() => error)));
  const half = (): number => 0.5;

  it('waits longer each time, up to the cap, and gives up with the last error', () => {
    virtually(({ expectObservable, flush }, scheduler) => {
      const times: number[] = [];
      const stream = failing(times, scheduler).pipe(backoff({ baseMs: 100, capMs: 300, maxAttempts: 5, random: half, scheduler }));
      expectObservable(stream).toBe('450ms #', undefined, 'no');
      flush();
      expect(times).toEqual([0, 50, 150, 300, 450]);
    });
  });

  it('chooses its wait at random from nothing up to the limit', () => {
    for (const [random, at] of [
      [0, 0],
      [0.25, 25],
      [0.999, 99.9],
    ] as const) {
      virtually(({ flush }, scheduler) => {
        const times: number[] = [];
        failing(times, scheduler, 1)
          .pipe(backoff({ baseMs: 100, random: () => random, scheduler }))
          .subscribe();
        flush();
        expect(times[1]).toBeCloseTo(at);
      });
    }
  });

  it('never retries earlier than required', () => {
    virtually(({ flush }, scheduler) => {
      const times: number[] = [];
      const retryAfterMs = (error: unknown): number => (error as { after: number }).after;
      failing(times, scheduler, 1, { after: 5000 })
        .pipe(backoff({ baseMs: 100, retryAfterMs, random: () => 0, scheduler }))
        .subscribe();
      flush();
      expect(times).toEqual([0, 5000]);
    });
  });

  it.each([0, -1, Number.NaN, undefined])('ignores a required wait of %s', (after) => {
    virtually(({ flush }, scheduler) => {
      const times: number[] = [];
      failing(times, scheduler, 1)
        .pipe(backoff({ baseMs: 100, retryAfterMs: () => after, random: half, scheduler }))
        .subscribe();
      flush();
      expect(times).toEqual([0, 50]);
    });
  });

  it('fails at once rather than waiting longer than it may', () => {
    virtually(({ expectObservable }, scheduler) => {
      expect.hasAssertions();
      const stream = failing([], scheduler).pipe(backoff({ retryAfterMs: () => 1e9, scheduler }));
      expectObservable(stream).toBe('#', undefined, 'no');
    });
  });

  it('retries only errors that may pass', () => {
    virtually(({ expectObservable, flush }, scheduler) => {
      const times: number[] = [];
      const retryIf = (_: unknown, attempt: number): boolean => attempt < 2;
      expectObservable(failing(times, scheduler).pipe(backoff({ baseMs: 2, random: half, retryIf, scheduler }))).toBe(
        '-#',
        undefined,
        'no',
      );
      flush();
      expect(times).toHaveLength(2);
    });
  });

  it('keeps no timer once it is unsubscribed', () => {
    virtually((_, scheduler) => {
      failing([], scheduler).pipe(backoff({ scheduler })).subscribe().unsubscribe();
      expect(scheduler.actions).toHaveLength(0);
    });
  });

  it('fails with what a callback throws', () => {
    virtually(({ expectObservable }, scheduler) => {
      expect.hasAssertions();
      const retryIf = (): never => {
        // oxlint-disable-next-line typescript/only-throw-error
        throw 'mine';
      };
      expectObservable(failing([], scheduler).pipe(backoff({ retryIf, scheduler }))).toBe('#', undefined, 'mine');
    });
  });

  it.each([{ maxAttempts: 0 }, { baseMs: -1 }, { capMs: 2 ** 31 }, { maxRetryAfterMs: Number.NaN }])(
    'refuses %o when it is called',
    (options) => {
      expect(() => backoff(options)).toThrow(RangeError);
    },
  );
});

describe('distinctBy', () => {
  const through = (values: readonly unknown[], ...options: Parameters<typeof distinctBy<unknown>>): unknown[] => {
    let seen: unknown[] = [];
    from(values)
      .pipe(distinctBy(...options), toArray())
      .subscribe((all) => (seen = all));
    return seen;
  };

  it('compares values by a key function, like a Set', () => {
    expect(through([1, '1', 1, Number.NaN, Number.NaN], (value) => value)).toEqual([1, '1', Number.NaN]);
  });

  it('passes every value without a key', () => {
    expect(through([null, null, undefined], (value) => value)).toEqual([null, null, undefined]);
  });

  it('forgets what was seen longest ago beyond its memory, and says so', () => {
    const forgotten: unknown[] = [];
    const options = { memory: 2, onForget: (key: unknown) => forgotten.push(key) };
    expect(through(['a', 'b', 'a', 'c', 'b', 'a'], (value) => value, options)).toEqual(['a', 'b', 'c', 'b', 'a']);
    expect(forgotten).toEqual(['b', 'a', 'c']);
  });

  it.each([
    [7 as never, {}],
    ['' as never, {}],
    [(): number => 1, { memory: 0 }],
  ])('refuses %o %o when it is called', (key, options) => {
    expect(() => distinctBy(key, options)).toThrow(RangeError);
  });
});
