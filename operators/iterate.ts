import type { Observable, Subscription } from 'rxjs';
import { withDemand } from './demand/demandScope.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { Queue, workThrough } from './kit/workThrough.ts';
import { signal, whole, declareOptions } from './options/index.ts';

export interface IterateOptions {
  /** Values that may wait for the loop. 0: no request is sent while the loop's body runs. @default 0 */
  readonly ahead?: number | undefined;
  /** Ends the loop with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

const iterateOptions = declareOptions<IterateOptions>()({ ahead: whole({ from: 0 }).or(0), signal: signal() });

/** The values of a stream for `for await`. An iterator is iterable itself: a loop over it continues where another one stopped. */
export interface Iteration<T> {
  [Symbol.asyncIterator](): AsyncIterableIterator<T> & AsyncDisposable;
}

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
export function iterate<T>(stream: Observable<T>, options: IterateOptions = {}): Iteration<T> {
  const { ahead, signal } = iterateOptions.read('iterate', options);
  return { [Symbol.asyncIterator]: () => iterator(stream, ahead, signal) };
}

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

function iterator<T>(stream: Observable<T>, ahead: number, signal: AbortSignal | undefined): AsyncIterableIterator<T> & AsyncDisposable {
  const waiters = new Queue<Waiter<T>>();
  let subscription: Subscription | undefined;
  /** Set while the loop's body works on a value. */
  let finished: (() => void) | undefined;
  let over = false;
  let failed: { readonly error: unknown } | undefined;

  const bodies = defineOperator<T, never>(
    (source, out) => {
      workThrough(source, out, {
        name: 'iterate',
        concurrency: 1,
        holdAt: ahead + 1,
        releaseAt: ahead,
        errorsLast: true,
        start(waiting, done) {
          waiters.shift()!.resolve({ done: false, value: waiting.shift() as T });
          // If the loop already waits for the next value, its body is done with this one.
          if (waiters.length > 0) done();
          else finished = done;
        },
      });
    },
    { signal },
  );
  const end = (): void => {
    over = true;
    for (let waiter = waiters.shift(); waiter !== undefined; waiter = waiters.shift()) {
      if (failed === undefined) waiter.resolve({ done: true, value: undefined });
      else {
        waiter.reject(failed.error);
        failed = undefined;
      }
    }
  };
  const start = (): void => {
    const error = (error: unknown): void => {
      failed = { error };
      end();
    };
    const subscribe = (): Subscription => stream.pipe(bodies).subscribe({ error, complete: end });
    subscription = withDemand(undefined, subscribe);
  };

  const leave = async (value?: unknown): Promise<IteratorResult<T, unknown>> => {
    failed = undefined;
    subscription?.unsubscribe();
    end();
    return { done: true, value: await value };
  };

  return {
    next: () =>
      new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
        if (over) return end();
        if (subscription === undefined) return start();
        const next = finished;
        finished = undefined;
        next?.();
      }),
    return: leave,
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}
