import fc from 'fast-check';
import { concatMap, distinct, finalize, from, mergeMap, Observable, of, retry, Subject, timer, type OperatorFunction } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { backoff, distinctBy, fanOut, mergeBounded } from '../../operators/index.ts';

/** A cold stream as marbles: values, waits, and how it ends. */
const marbles = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '-', '---', '(ab)'), { maxLength: 6 }), fc.constantFrom('|', '|', '|', '#', ''))
  .map(([parts, end]) => parts.join('') + end);
const finite = marbles.map((line) => (line.endsWith('|') || line.endsWith('#') ? line : `${line}|`));

/** Both pipes give the same at the same time, and subscribe to and end the same streams at the same time. */
function same(build: (stream: (line: string) => Observable<string>, ours: boolean) => Observable<unknown>): void {
  const log = (ours: boolean): object => {
    const seen: string[] = [];
    const streams: string[] = [];
    new TestScheduler(() => undefined).run(({ cold, flush }) => {
      let time = 0;
      const at = (): number => time;
      const ticker = timer(0, 1).subscribe(() => (time += 1));
      const stream = (line: string): Observable<string> =>
        new Observable((subscriber) => {
          streams.push(`${at()} subscribe ${line}`);
          const subscription = cold(line).subscribe(subscriber);
          return () => {
            streams.push(`${at()} end ${line}`);
            subscription.unsubscribe();
          };
        });
      const subscription = build(stream, ours).subscribe({
        next: (value) => seen.push(`${at()} next ${String(value)}`),
        error: (error) => seen.push(`${at()} error ${String(error)}`),
        complete: () => seen.push(`${at()} complete`),
      });
      timer(300).subscribe(() => {
        subscription.unsubscribe();
        ticker.unsubscribe();
      });
      flush();
    });
    // Within one frame ours end what is above before they tell the end, theirs after it.
    return { seen, streams: streams.sort() };
  };
  expect(log(true)).toEqual(log(false));
}

describe('mergeBounded', () => {
  it('gives what mergeMap gives, and opens and ends the same streams at the same time', () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(fc.array(marbles, { maxLength: 6 }), finite, fc.integer({ min: 1, max: 3 }), (lines, source, concurrency) => {
        same((stream, ours) => {
          let n = 0;
          const open = (): Observable<string> => stream(lines[n++ % Math.max(1, lines.length)] ?? '|');
          const operator: OperatorFunction<string, string> = ours ? mergeBounded(open, { concurrency }) : mergeMap(open, concurrency);
          return stream(source).pipe(operator);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('tears a stream down before it opens the next one', () => {
    for (const operator of [mergeBounded, fanOut] as const) {
      const seen: string[] = [];
      let alive = 0;
      from([1, 2, 3])
        .pipe(
          operator(
            (n: number) =>
              new Observable<number>((subscriber) => {
                alive += 1;
                seen.push(`open ${n}: ${alive} alive`);
                subscriber.next(n);
                subscriber.complete();
                return () => {
                  alive -= 1;
                  seen.push(`end ${n}`);
                };
              }),
            { concurrency: 1 },
          ),
        )
        .subscribe();
      expect(seen).toEqual(['open 1: 1 alive', 'end 1', 'open 2: 1 alive', 'end 2', 'open 3: 1 alive', 'end 3']);
    }
  });

  it('lets a value wait that comes while another is emitted, which mergeMap passes on at once', () => {
    const order = (operator: OperatorFunction<number, number>): number[] => {
      const source = new Subject<number>();
      const seen: number[] = [];
      source.pipe(operator).subscribe((n) => {
        seen.push(n);
        if (n === 10) source.next(2);
      });
      source.next(1);
      return seen;
    };
    const twice = (n: number): Observable<number> => of(n * 10, n * 10 + 1);
    expect(order(mergeMap(twice))).toEqual([10, 20, 21, 11]);
    for (const operator of [mergeBounded, fanOut] as const) expect(order(operator(twice))).toEqual([10, 11, 20, 21]);
  });

  it('finalizes before it moves on, as concatMap does', () => {
    const order = (operator: OperatorFunction<number, number>): string[] => {
      const seen: string[] = [];
      of(1, 2)
        .pipe(operator)
        .subscribe({ next: (n) => seen.push(`next ${n}`), complete: () => seen.push('complete') });
      return seen;
    };
    const logged = (seen: string[]) => (n: number) => of(n).pipe(finalize(() => seen.push(`final ${n}`)));
    const [ours, theirs]: [string[], string[]] = [[], []];
    order(mergeBounded(logged(ours), { concurrency: 1 }));
    order(concatMap(logged(theirs)));
    expect(ours).toEqual(theirs);
  });
});

describe('distinctBy', () => {
  it('gives what distinct gives', () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(finite, (source) => {
        same((stream, ours) => stream(source).pipe(ours ? distinctBy((value) => value) : distinct()));
      }),
      { numRuns: 50 },
    );
  });
});

describe('backoff', () => {
  it('gives what retry gives with the same waits', () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(finite, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 9 }), (source, maxAttempts, baseMs) => {
        same((stream, ours) =>
          stream(source).pipe(
            ours
              ? backoff({ maxAttempts, baseMs, capMs: baseMs, random: () => 1 - 1e-9 })
              : retry({ count: maxAttempts - 1, delay: () => timer(baseMs * (1 - 1e-9)) }),
          ),
        );
      }),
      { numRuns: 50 },
    );
  });
});
