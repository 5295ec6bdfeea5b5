import type { MonoTypeOperatorFunction } from 'rxjs';
import { createRateLimit, type RateLimitOptions } from './createRateLimit.ts';
import type { Limit } from './Limit.ts';
import { underLimit } from './underLimit.ts';

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
