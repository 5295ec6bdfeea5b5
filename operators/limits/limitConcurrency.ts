import type { MonoTypeOperatorFunction } from 'rxjs';
import { type Limit, underLimit } from './underLimit.ts';
import { whole, optionError } from '../options/index.ts';

/**
 * Subscribes to a stream only when fewer than the limit are running. Use it for streams that don't come from a client.
 * A client has its own limit. A number creates a limit shared by all streams that use this same operator.
 *
 * - Order: first come, first served. Values pass as they are.
 * - Concurrency: as many streams at once as the limit allows.
 * - Cancellation: unsubscribing leaves the queue, or frees the slot.
 * - Cost: none.
 *
 * @example
 * const four = limitConcurrency(4);
 * ids$.pipe(mergeMap((id) => from(lookUp(id)).pipe(four)))
 */
export function limitConcurrency<T>(limit: number | Limit): MonoTypeOperatorFunction<T> {
  return underLimit(typeof limit === 'object' ? limit : createConcurrencyLimit(limit));
}

const count = whole({ from: 1 });

/** Allows this many streams at once. Streams that are given the same limit share it. */
export function createConcurrencyLimit(streams: number): Limit {
  if (!count.fits(streams)) throw optionError('createConcurrencyLimit', 'streams', count.takes, streams);
  const waiting = new Set<() => void>();
  let open = 0;
  let admitting = false;

  const admit = (): void => {
    // A loop, because streams that end at once would grow the stack if each end started the next one.
    if (admitting) return;
    admitting = true;
    try {
      while (open < streams) {
        const [start] = waiting;
        if (start === undefined) break;
        waiting.delete(start);
        open += 1;
        start();
      }
    } finally {
      admitting = false;
    }
  };

  return {
    enter(start) {
      let entered = false;
      const run = (): void => {
        entered = true;
        start();
      };
      waiting.add(run);
      admit();
      return () => {
        if (entered) open -= 1;
        else waiting.delete(run);
        admit();
      };
    },
  };
}
