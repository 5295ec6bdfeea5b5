import { type MonoTypeOperatorFunction, asyncScheduler, type SchedulerLike, type Subscription } from 'rxjs';
import { type Limit, underLimit } from './underLimit.ts';
import { Queue } from '../kit/Queue.ts';
import { maxDelayMs } from './backoff.ts';
import { having, number, whole, declareOptions } from '../options/index.ts';

/**
 * Subscribes to a stream only when the rate limit allows another start. Use it for streams that don't come from a
 * client. A client learns its rate by itself. `{ requests, perMs }` creates a limit shared by all streams that use this
 * same operator.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: any number at once. Only starts are counted, in any period of `perMs`.
 * - Cancellation: unsubscribing leaves the queue.
 * - Cost: none.
 *
 * @example
 * const fiveASecond = limitRate({ requests: 5, perMs: 1000 });
 * ids$.pipe(mergeMap((id) => from(lookUp(id)).pipe(fiveASecond)))
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
  const waiting = new Set<() => void>();
  const starts = new Queue<number>();
  let oldest: number | undefined;
  let timer: Subscription | undefined;
  let admitting = false;

  const admit = (): void => {
    if (admitting) return;
    admitting = true;
    try {
      for (let [start] = waiting; start !== undefined; [start] = waiting) {
        const now = scheduler.now();
        while (oldest !== undefined && oldest + perMs <= now) oldest = starts.shift();
        if (starts.length + (oldest === undefined ? 0 : 1) >= requests) {
          timer ??= scheduler.schedule(wake, oldest! + perMs - now);
          break;
        }
        waiting.delete(start);
        if (oldest === undefined) oldest = now;
        else starts.push(now);
        start();
      }
    } finally {
      admitting = false;
    }
  };
  const wake = (): void => {
    timer = undefined;
    admit();
  };

  return {
    enter(start) {
      // A new function, so that the same `start` passed twice waits twice.
      const run = (): void => start();
      waiting.add(run);
      admit();
      return () => {
        waiting.delete(run);
        if (waiting.size > 0) return;
        timer?.unsubscribe();
        timer = undefined;
      };
    },
  };
}
