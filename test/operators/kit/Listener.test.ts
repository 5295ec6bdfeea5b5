import { finalize, lastValueFrom, NEVER, of, toArray, type Observable, type Observer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { fanOut, limitConcurrency, mergeBounded } from '../../../operators/index.ts';
import { Listener } from '../../../operators/kit/Listener.ts';
import { Members } from '../../../operators/kit/Members.ts';

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

  it('leaves the listeners of its operator when it is unsubscribed through a Proxy', () => {
    const listeners = new Members<Listener<never>>();
    const observer = { next: () => undefined, error: () => undefined, complete: () => undefined };
    const [first, second] = [
      new Listener<never>(observer, false, listeners as never),
      new Listener<never>(observer, false, listeners as never),
    ];
    listeners.add(first);
    listeners.add(second);
    new Proxy(first, {}).unsubscribe();
    expect([...listeners]).toEqual([second]);
    expect(listeners.delete(first)).toBe(false);
    second.unsubscribe();
    expect(listeners.size).toBe(0);
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
