import { asyncScheduler, concat, concatMap, delay, EMPTY, finalize, NEVER, Observable, of, Subject, take, throwError, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { afterEach, describe, expect, it } from 'vitest';
import * as door from '../../src/operators.ts';
import { subjects, type TypeOf } from './subjects.ts';

/** Values without end, all at once, until nobody listens. */
const endless = (input: (i: number) => unknown): Observable<never> =>
  new Observable((subscriber) => {
    for (let i = 0; !subscriber.closed; i++) subscriber.next(input(i) as never);
  });
const later: TypeOf = (stream) => stream.pipe(delay(2));
const plain: TypeOf = (stream) => stream;

const virtually = (run: Parameters<TestScheduler['run']>[0]): void => {
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(run);
};

// Whatever happened, no stage's place may stay behind for subscriptions that come later.
afterEach(() => {
  if (door.currentDemand() !== undefined) throw new Error('a place stayed behind');
});

it('covers every operator of the door', () => {
  const notOperators = [
    'setOrigin',
    'originOf',
    'withDemand',
    'currentDemand',
    'checkWalkOptions',
    'moveWalk',
    'startWalk',
    'stepWalk',
    'coverArea',
    'dates',
    'dayAfter',
    'gridPoints',
    'answerBlocks',
    'answerCitations',
    'answerSources',
    'byDates',
    'byRange',
    'byYear',
    'byValues',
  ];
  const makers = ['createConcurrencyLimit', 'createRateLimit', 'iterate', 'defineOperator', 'DemandNode', 'readyFanOut'];
  const operators = Object.keys(door).filter((name) => ![...notOperators, ...makers].includes(name));
  expect(new Set(subjects.map(({ name }) => name))).toEqual(new Set(operators));
});

describe.each(subjects)('$name', ({ make, input }) => {
  const values = (n: number): never[] => Array.from({ length: n }, (_, i) => input(i) as never);

  it('stays silent over a source that never does anything', () => {
    expect.hasAssertions();
    virtually(({ expectObservable }) => expectObservable(NEVER.pipe(make(plain)), '^----!').toBe('------'));
  });

  it('completes over an empty source', () => {
    expect.hasAssertions();
    virtually(({ expectObservable }) => expectObservable(EMPTY.pipe(make(plain))).toBe('|'));
  });

  it('gives something for one value, and more for many', () => {
    virtually(({ flush }) => {
      for (const n of [1, 50]) {
        let seen: unknown[] = [];
        of(...values(n))
          .pipe(make(later), toArray())
          .subscribe((all) => (seen = all));
        flush();
        expect(seen).toHaveLength(n);
      }
    });
  });

  it('passes the source’s error on and cancels its requests', () => {
    virtually(({ cold, expectObservable, flush }) => {
      let open = 0;
      const counted: TypeOf = (stream) => {
        open += 1;
        return stream.pipe(
          delay(90),
          finalize(() => (open -= 1)),
        );
      };
      expectObservable(cold<never>('#', undefined, 'no').pipe(make(counted))).toBe('#', undefined, 'no');
      let error: unknown;
      concat(
        of<never[]>(input(0) as never),
        throwError(() => 'late'),
      )
        .pipe(make(counted))
        .subscribe({ error: (it) => (error = it) });
      flush();
      expect([error, open]).toEqual(['late', 0]);
    });
  });

  it('stops a source without end when nobody listens any more', async () => {
    const seen: unknown[] = [];
    await new Promise<void>((resolve) =>
      endless(input)
        .pipe(make(plain), take(3))
        .subscribe({ next: (value) => seen.push(value), complete: resolve }),
    );
    expect(seen).toHaveLength(3);
  });

  it('lets go of everything when it is unsubscribed early', () => {
    virtually(({ flush }) => {
      let open = 0;
      const source = new Subject<never>();
      const counted: TypeOf = (stream) =>
        new Observable((subscriber) => {
          open += 1;
          const subscription = stream.pipe(delay(5)).subscribe(subscriber);
          return () => {
            open -= 1;
            subscription.unsubscribe();
          };
        });
      const seen: unknown[] = [];
      const subscription = source.pipe(make(counted)).subscribe((value) => seen.push(value));
      for (const value of values(20)) source.next(value);
      const before = seen.length;
      subscription.unsubscribe();
      expect([source.observed, open]).toEqual([false, 0]);
      flush();
      expect([seen.length, open]).toEqual([before, 0]);
    });
  });

  it('signals one at a time, and nothing after an end', async () => {
    for (const [response, ends] of [
      [plain, 'complete'],
      [((stream) => stream.pipe(concatMap((value) => Promise.resolve(value)))) as TypeOf, 'complete'],
      [((stream) => stream.pipe(delay(Math.random() * 3, asyncScheduler))) as TypeOf, 'error'],
    ] as const) {
      const source = new Subject<never>();
      const signals: string[] = [];
      let inside = false;
      const serially = (signal: string) => (): void => {
        expect(inside).toBe(false);
        inside = true;
        signals.push(signal);
        inside = false;
      };
      source.pipe(make(response)).subscribe({ next: serially('next'), error: serially('error'), complete: serially('complete') });
      for (const value of values(30)) source.next(value);
      await new Promise((resolve) => setTimeout(resolve, ends === 'error' ? 1 : 8));
      if (ends === 'error') source.error('no');
      else source.complete();
      await new Promise((resolve) => setTimeout(resolve, 8));
      expect(signals.filter((signal) => signal !== 'next')).toEqual([ends]);
      expect(signals.at(-1)).toBe(ends);
    }
  });

  it('sends no request after take', () => {
    virtually(({ flush }) => {
      let asked = 0;
      const counted: TypeOf = (stream) => {
        asked += 1;
        return stream.pipe(delay(asked));
      };
      let atLast = 0;
      of(...values(40))
        .pipe(make(counted), take(2))
        .subscribe({ next: () => (atLast = asked) });
      flush();
      expect(asked).toBe(atLast);
    });
  });
});

// The operators that call nothing of the user's are not among these.
describe.each(subjects.filter(({ throwing }) => throwing !== undefined))('$name', ({ input, throwing }) => {
  it('turns an exception of a callback into its error', () => {
    const thrown = new Error('mine');
    let seen: unknown;
    of<never[]>(input(0) as never)
      .pipe(throwing!(thrown))
      .subscribe({ error: (error) => (seen = error) });
    expect(seen).toBe(thrown);
  });
});
