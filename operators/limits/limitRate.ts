import { type MonoTypeOperatorFunction, asyncScheduler, type SchedulerLike, type Subscription } from 'rxjs';
import { type Limit, limitOf, underLimit } from './underLimit.ts';
import { Queue } from '../kit/workThrough.ts';
import { maxDelayMs } from './backoff.ts';
import { having, number, whole, declareOptions } from '../options/index.ts';

/**
 * Subscribes to a stream only when the rate limit allows another start. Use it for streams that don't come from a
 * client. A client learns its rate by itself. `{ requests, perMs }` creates a limit shared by all streams that use this
 * same operator.
 *
 * A function that returns a promise needs `defer`, as in the example: `from(lookUp(id))` calls it at once, whatever the limit.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: any number at once. Only starts are counted, in any period of `perMs`.
 * - Cancellation: unsubscribing leaves the queue.
 * - Cost: none.
 *
 * @example
 * const fiveASecond = limitRate({ requests: 5, perMs: 1000 });
 * ids$.pipe(mergeMap((id) => defer(() => lookUp(id)).pipe(fiveASecond)))
 */
export function limitRate<T>(limit: RateLimitOptions | Limit): MonoTypeOperatorFunction<T> {
  return underLimit('enter' in limit ? limit : createRateLimit(limit));
}

export interface RateLimitOptions {
  /** Streams that may start in any period of `perMs`. */
  readonly requests: number;
  readonly perMs: number;
  /** Time, for tests. @default asyncScheduler */
  readonly scheduler?: SchedulerLike | undefined;
}

const rateLimitOptions = declareOptions<RateLimitOptions>()({
  requests: whole({ from: 1 }).needed(),
  perMs: number({ above: 0, to: maxDelayMs }).needed(),
  scheduler: having<SchedulerLike>('a scheduler', 'schedule', 'now').or(asyncScheduler),
});

/** Allows this many starts in any period: bursts up to that number, never more. Streams that are given the same limit share it. */
export function createRateLimit(options: RateLimitOptions): Limit {
  const { requests, perMs, scheduler } = rateLimitOptions.read('createRateLimit', options);
  const starts = new Queue<number>();
  let oldest: number | undefined;
  let timer: Subscription | undefined;

  const { limit, admit } = limitOf({
    take() {
      const now = scheduler.now();
      while (oldest !== undefined && oldest + perMs <= now) oldest = starts.shift();
      if (oldest === undefined) oldest = now;
      else if (starts.length + 1 < requests) starts.push(now);
      else {
        timer ??= scheduler.schedule(wake, oldest + perMs - now);
        return false;
      }
      return true;
    },
    idle() {
      timer?.unsubscribe();
      timer = undefined;
    },
  });
  const wake = (): void => {
    timer = undefined;
    admit();
  };
  return limit;
}
