import { finalize, lastValueFrom, NEVER, of, toArray, type Observable, type Observer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { fanOut, limitConcurrency, mergeBounded } from '../../../operators/index.ts';

/** A source as instrumentation makes it: it hands on its subscriber in a Proxy. */
const instrumented = <T>(source: Observable<T>): Observable<T> => {
  const wrapped = Object.create(source) as Observable<T>;
  wrapped.subscribe = ((subscriber: Observer<T>) => source.subscribe(new Proxy(subscriber, {}))) as never;
  return wrapped;
};

describe('Listener', () => {
  it('works behind a Proxy', async () => {
    const source = instrumented(of(1, 2, 3));
    const inner = (n: number): Observable<number> => instrumented(of(n));
    const pipes = [mergeBounded(inner), fanOut(inner), limitConcurrency<number>(1)];
    for (const pipe of pipes) expect(await lastValueFrom(source.pipe((same) => pipe(same), toArray()))).toEqual([1, 2, 3]);
  });

  it('ends its source when the operator ends', () => {
    let ended = 0;
    of(1)
      .pipe(mergeBounded(() => instrumented(NEVER.pipe(finalize(() => (ended += 1))))))
      .subscribe()
      .unsubscribe();
    expect(ended).toBe(1);
  });
});
