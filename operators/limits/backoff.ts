import { asyncScheduler, type MonoTypeOperatorFunction, type SchedulerLike, type Subscription } from 'rxjs';
import { defineOperator } from '../kit/defineOperator.ts';
import { callback, having, number, whole, declareOptions } from '../options/index.ts';

/** The longest delay of a timer. With a longer one, a timer fires at once. */
export const maxDelayMs: number = 2 ** 31 - 1;

export interface BackoffOptions {
  /** Total subscriptions, including the first. @default 5 */
  readonly maxAttempts?: number | undefined;
  /** The longest first wait; it doubles with each attempt. @default 500 */
  readonly baseMs?: number | undefined;
  /** @default 30000 */
  readonly capMs?: number | undefined;
  /** Whether to retry after this error. @default after every error */
  readonly retryIf?: ((error: unknown, attempt: number) => boolean) | undefined;
  /**
   * The wait the source requires, kept in full. For undefined, 0 or anything that isn't a number the normal wait applies.
   * @default nothing
   */
  readonly retryAfterMs?: ((error: unknown) => number | undefined) | undefined;
  /** If the source requires a longer wait than this, the stream fails at once. @default 300000 */
  readonly maxRetryAfterMs?: number | undefined;
  /** A random number from 0 up to, but not including, 1. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Time, for tests. @default asyncScheduler */
  readonly scheduler?: SchedulerLike | undefined;
}

const delay = number({ from: 0, to: maxDelayMs });
const backoffOptions = declareOptions<BackoffOptions>()({
  maxAttempts: whole({ from: 1 }).or(5),
  baseMs: delay.or(500),
  capMs: delay.or(30_000),
  retryIf: callback(),
  retryAfterMs: callback(),
  maxRetryAfterMs: delay.or(300_000),
  random: callback<() => number>().or(Math.random),
  scheduler: having<SchedulerLike>('a scheduler', 'schedule', 'now').or(asyncScheduler),
});

/**
 * Retries after an error, waiting longer each time: a random wait between 0 and base × 2ⁿ ("full jitter"), so that
 * streams that failed together don't retry together. Use it for streams that don't come from a client. A client retries
 * by itself. A function that returns a promise needs `defer`, as in the example: `from(lookUp(id))` calls it once, and each
 * attempt gets the same promise.
 *
 * - Order: kept. Values emitted before an error are not taken back, so it suits streams of one value.
 * - Concurrency: none.
 * - Cancellation: unsubscribing ends the attempt or the wait.
 * - Cost: up to `maxAttempts` times the cost of the stream.
 *
 * @example
 * defer(() => lookUp(id)).pipe(backoff({ maxAttempts: 3, retryAfterMs: (error) => (error as { retryAfterMs?: number }).retryAfterMs }))
 */
export function backoff<T>(options: BackoffOptions = {}): MonoTypeOperatorFunction<T> {
  const { maxAttempts, baseMs, capMs, retryIf, retryAfterMs, maxRetryAfterMs, random, scheduler } = backoffOptions.read('backoff', options);

  /** How long to wait after an attempt; undefined: don't retry, fail with the error. */
  const delayAfter = (error: unknown, attempt: number): number | undefined => {
    if (attempt >= maxAttempts || retryIf?.(error, attempt) === false) return undefined;
    const told = retryAfterMs?.(error);
    if (typeof told === 'number' && told > 0) return told > maxRetryAfterMs ? undefined : told + random() * Math.min(told / 10, baseMs);
    return backoffMs(attempt, random(), baseMs, capMs);
  };

  return defineOperator<T, T>((source, out) => {
    let attempt = 0;
    let timer: Subscription | undefined;
    out.atEnd(() => timer?.unsubscribe());
    const tryOnce = (): void => {
      attempt += 1;
      out.listen(source, { next: out.next, error: failed });
    };
    const failed = (error: unknown): void => {
      let delayMs: number | undefined;
      try {
        delayMs = delayAfter(error, attempt);
      } catch (thrown) {
        return out.error(thrown);
      }
      if (delayMs === undefined) return out.error(error);
      // Asynchronous even without a delay: attempts that fail at once must not grow the stack.
      timer = scheduler.schedule(tryOnce, Math.min(delayMs, maxDelayMs));
    };
    tryOnce();
  });
}

/** Full jitter: a random wait from 0 to a maximum that doubles each time, up to a cap. `failures` counts from 1. */
export function backoffMs(failures: number, random: number, baseMs: number, capMs: number): number {
  return random * Math.min(capMs, baseMs * 2 ** (failures - 1));
}
