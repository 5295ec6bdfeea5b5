import type { MonoTypeOperatorFunction } from 'rxjs';
import { type Limit, limitOf, underLimit } from './underLimit.ts';
import { whole, optionError } from '../options/index.ts';

/**
 * Subscribes to a stream only when fewer than the limit are running. Use it for streams that don't come from a client.
 * A client has its own limit. A number creates a limit shared by all streams that use this same operator.
 *
 * A function that returns a promise needs `defer`, as in the example: `from(lookUp(id))` calls it at once, whatever the limit.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: as many streams at once as the limit allows.
 * - Cancellation: unsubscribing leaves the queue, or frees the slot. The next stream starts a little later (`asapScheduler`).
 * - Cost: none.
 *
 * @example
 * const four = limitConcurrency(4);
 * ids$.pipe(mergeMap((id) => defer(() => lookUp(id)).pipe(four)))
 */
export function limitConcurrency<T>(limit: number | Limit): MonoTypeOperatorFunction<T> {
  return underLimit(typeof limit === 'object' ? limit : createConcurrencyLimit(limit));
}

const count = whole({ from: 1 });

/** Allows this many streams at once. Streams that are given the same limit share it. */
export function createConcurrencyLimit(streams: number): Limit {
  if (!count.fits(streams)) throw optionError('createConcurrencyLimit', 'streams', count.takes, streams);
  let open = 0;
  return limitOf({
    take() {
      const isRoom = open < streams;
      if (isRoom) open += 1;
      return isRoom;
    },
    free() {
      open -= 1;
    },
  }).limit;
}
