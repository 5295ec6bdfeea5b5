import type { Observable, Subscription } from 'rxjs';
import { DemandNode } from './demand/DemandNode.ts';
import { subscribeUnder } from './demand/demandScope.ts';
import { Listener } from './kit/Listener.ts';
import { Queue } from './kit/Queue.ts';
import { signal, whole } from './options/kinds.ts';
import { declareOptions } from './options/OptionSet.ts';

export interface IterateOptions {
  /** Values that may wait for the loop. 0: no request is sent while the loop's body runs. @default 0 */
  readonly ahead?: number | undefined;
  /** Ends the loop with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

const iterateOptions = declareOptions<IterateOptions>()({ ahead: whole({ from: 0 }).or(0), signal: signal() });

/**
 * Turns a stream into an async iterable for `for await`, with real backpressure: while the loop's body runs and `ahead`
 * values wait, everything upstream that follows demand pauses. So a slow body slows the requests.
 *
 * - Order: the stream's. An error is thrown once the loop has taken the values before it.
 * - Concurrency: one body at a time, as in any loop. Each loop makes its own subscription, at its first turn.
 * - Cancellation: leaving the loop unsubscribes.
 * - Cost: leaving a walk's loop after n pages costs n requests, up to `ahead` more, and any requests already in flight
 *   where several run at once.
 *
 * Values that arrive together, such as the rows of a page, wait in memory until the loop takes them.
 *
 * @example
 * for await (const page of iterate(of({ data_id }).pipe(expandCursor(client.mapsReviews)))) {
 *   if (await store(page)) break;
 * }
 */
export function iterate<T>(stream: Observable<T>, options: IterateOptions = {}): AsyncIterable<T> {
  const { ahead, signal } = iterateOptions.read('iterate', options);
  return { [Symbol.asyncIterator]: () => iterator(stream, ahead, signal) };
}

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

function iterator<T>(stream: Observable<T>, ahead: number, signal: AbortSignal | undefined): AsyncIterator<T, undefined> {
  const node = new DemandNode(undefined, 0, 'iterate');
  const values = new Queue<T>();
  const waiters = new Queue<Waiter<T>>();
  let subscription: Subscription | undefined;
  let over = false;
  let failed: { readonly error: unknown } | undefined;

  const weigh = (): void => {
    if (waiters.length > 0 || values.length < ahead || over) node.release();
    else node.hold();
  };
  const abort = (): void => {
    subscription?.unsubscribe();
    values.clear();
    failed = { error: signal?.reason };
    end();
  };
  const end = (): void => {
    over = true;
    signal?.removeEventListener('abort', abort);
    for (let waiter = waiters.shift(); waiter !== undefined; waiter = waiters.shift()) {
      if (failed === undefined) waiter.resolve({ done: true, value: undefined });
      else {
        waiter.reject(failed.error);
        failed = undefined;
      }
    }
    weigh();
  };
  const start = (): void => {
    if (signal?.aborted === true) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    const observer = {
      next(value: T): void {
        const waiter = waiters.shift();
        if (waiter === undefined) values.push(value);
        else waiter.resolve({ done: false, value });
        weigh();
      },
      error(error: unknown): void {
        failed = { error };
        end();
      },
      complete: end,
    };
    const listener = new Listener(observer);
    subscription = listener;
    subscribeUnder(node, stream, listener);
  };

  return {
    next: () =>
      new Promise((resolve, reject) => {
        node.moved();
        if (values.length > 0) {
          resolve({ done: false, value: values.shift() as T });
          return weigh();
        }
        waiters.push({ resolve, reject });
        if (over) return end();
        weigh();
        if (subscription === undefined) start();
      }),
    return() {
      values.clear();
      failed = undefined;
      subscription?.unsubscribe();
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
