import { concat, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { currentDemand, iterate, type DemandNode } from '../../operators/index.ts';

/** A source that gives a value a task while it is let. */
function heeding(): { source: Observable<number>; given: () => number; subscribed: () => boolean } {
  let given = 0;
  let subscribed = false;
  const source = new Observable<number>((subscriber) => {
    const node = currentDemand() as DemandNode;
    subscribed = true;
    const give = (): void => {
      if (subscriber.closed) return;
      if (node.holder() !== undefined) return void node.holder()!.wait({ resume: () => setImmediate(give), letGo: () => false });
      given += 1;
      subscriber.next(given);
      setImmediate(give);
    };
    setImmediate(give);
    return () => (subscribed = false);
  });
  return { source, given: () => given, subscribed: () => subscribed };
}
const tasks = async (n: number): Promise<void> => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('iterate', () => {
  it('gives every value of a stream, synchronous ones too', async () => {
    const seen: number[] = [];
    for await (const value of iterate(of(1, 2, 3))) seen.push(value);
    expect(seen).toEqual([1, 2, 3]);
  });

  it.each([0, 1, 3])('lets %i values be given ahead of the loop', async (ahead) => {
    const { source, given, subscribed } = heeding();
    let turns = 0;
    for await (const _ of iterate(source, { ahead })) {
      turns += 1;
      await tasks(10);
      expect(given()).toBe(turns + ahead);
      if (turns === 5) break;
    }
    expect(subscribed()).toBe(false);
  });

  it('throws the stream’s error after the values before it', async () => {
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for await (const value of iterate(
        concat(
          of(1, 2),
          throwError(() => new Error('no')),
        ),
      ))
        seen.push(value);
    };
    await expect(loop()).rejects.toThrow('no');
    expect(seen).toEqual([1, 2]);
  });

  it('ends the subscription when the loop’s body throws', async () => {
    const { source, subscribed } = heeding();
    const loop = async (): Promise<void> => {
      for await (const _ of iterate(source)) throw new Error('mine');
    };
    await expect(loop()).rejects.toThrow('mine');
    expect(subscribed()).toBe(false);
  });

  it('subscribes at the first turn, and for each loop anew', async () => {
    let subscriptions = 0;
    const values = iterate(new Observable<number>((subscriber) => (subscriptions++, subscriber.complete())));
    expect(subscriptions).toBe(0);
    for await (const _ of values);
    for await (const _ of values);
    expect(subscriptions).toBe(2);
  });

  it('responds to turns that are asked for before their values come', async () => {
    const source = new Subject<number>();
    const iterator = iterate(source)[Symbol.asyncIterator]();
    const turns = [iterator.next(), iterator.next(), iterator.next()];
    source.next(1);
    source.next(2);
    source.complete();
    expect(await Promise.all(turns)).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
      { done: true, value: undefined },
    ]);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('ends turns that wait when the loop is left', async () => {
    const iterator = iterate(NEVER)[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await iterator.return!();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('gives an iterator that is iterable itself, so a loop continues where another one stopped', async () => {
    const iterator = iterate(of(1, 2, 3))[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 1 });
    const rest: number[] = [];
    for await (const value of iterator) rest.push(value);
    expect(rest).toEqual([2, 3]);
  });

  it('ends the subscription when its iterator is disposed of', async () => {
    const { source, subscribed } = heeding();
    const iterator = iterate(source)[Symbol.asyncIterator]();
    await iterator.next();
    expect(subscribed()).toBe(true);
    await iterator[Symbol.asyncDispose]();
    expect(subscribed()).toBe(false);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('returns the value that it is given, as a generator does', async () => {
    const iterator = iterate(of(1, 2))[Symbol.asyncIterator]();
    expect(await iterator.return!(7)).toEqual({ done: true, value: 7 });
    expect(await iterator.return!(Promise.resolve(8))).toEqual({ done: true, value: 8 });
    expect(await iterator.return!()).toEqual({ done: true, value: undefined });
  });

  it.each(['aborted', 'timed out'])('ends with the reason of a signal that is %s', async (how) => {
    const stop = new AbortController();
    const signal = how === 'aborted' ? stop.signal : AbortSignal.timeout(5);
    const turn = iterate(NEVER, { signal })[Symbol.asyncIterator]().next();
    stop.abort(new Error('enough'));
    const thrown: unknown = await turn.catch((error: unknown) => error);
    expect(thrown).toBe(signal.reason);
  });

  it.each([-1, 0.5, Number.NaN])('refuses to let %d values ahead', (ahead) => {
    expect(() => iterate(NEVER, { ahead })).toThrow(RangeError);
  });
});
