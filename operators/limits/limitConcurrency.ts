import type { MonoTypeOperatorFunction } from 'rxjs';
import { createConcurrencyLimit } from './createConcurrencyLimit.ts';
import type { Limit } from './Limit.ts';
import { underLimit } from './underLimit.ts';

/**
 * Subscribes to a stream only when there is room among those that share the limit: for streams that don't come from a
 * client, which has a limit of its own. A number makes a limit for all streams that this very operator is given to.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: as many streams at once as the limit says.
 * - Cancellation: unsubscribing leaves the queue, or the room.
 * - Cost: none.
 *
 * @example
 * const four = limitConcurrency(4);
 * ids$.pipe(mergeMap((id) => from(lookUp(id)).pipe(four)))
 */
export function limitConcurrency<T>(limit: number | Limit): MonoTypeOperatorFunction<T> {
  return underLimit(typeof limit === 'object' ? limit : createConcurrencyLimit(limit));
}
