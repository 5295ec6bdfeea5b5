import type { MonoTypeOperatorFunction } from 'rxjs';
import { createRateLimit, type RateLimitOptions } from './createRateLimit.ts';
import type { Limit } from './Limit.ts';
import { underLimit } from './underLimit.ts';

/**
 * Subscribes to a stream only when the limit lets another one start: for streams that don't come from a client, which
 * learns its rate by itself. `{ requests, perMs }` makes a limit for all streams that this very operator is given to.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: any number at once; only starts are counted, in any span of `perMs`.
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
