import type { MonoTypeOperatorFunction } from 'rxjs';
import { createConcurrencyLimit } from './createConcurrencyLimit.ts';
import type { Limit } from './Limit.ts';
import { underLimit } from './underLimit.ts';

/**
 * Subscribes to a stream only when fewer than the limit are running. Use it for streams that don't come from a client.
 * A client has its own limit. A number creates a limit shared by all streams that use this same operator.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: as many streams at once as the limit allows.
 * - Cancellation: unsubscribing leaves the queue, or frees the place.
 * - Cost: none.
 *
 * @example
 * const four = limitConcurrency(4);
 * ids$.pipe(mergeMap((id) => from(lookUp(id)).pipe(four)))
 */
export function limitConcurrency<T>(limit: number | Limit): MonoTypeOperatorFunction<T> {
  return underLimit(typeof limit === 'object' ? limit : createConcurrencyLimit(limit));
}
