import { checkOptions } from './check/checkOptions.ts';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { checkCount } from './check/checkCount.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { keyReader, type Key } from './keyReader.ts';

export interface DistinctByOptions {
  /** Keys to remember; beyond that the one that was seen longest ago is forgotten. @default Infinity */
  readonly memory?: number | undefined;
  /** Called with each key that is forgotten: from then on it may come through again. */
  readonly onForget?: ((key: unknown) => void) | undefined;
}

/**
 * Each key once, by a field's name or a function. A value whose key is null or undefined has no twin and comes through.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing forgets the keys.
 * - Memory: one entry a key, up to `memory`.
 * - Cost: none.
 *
 * @example
 * rows$.pipe(distinctBy('data_id', { memory: 100_000 }))
 */
export function distinctBy<T>(key: Key<T>, options: DistinctByOptions = {}): MonoTypeOperatorFunction<T> {
  checkOptions('distinctBy', options, ['memory', 'onForget']);
  const keyOf = keyReader('distinctBy', key);
  const memory = checkCount('distinctBy', 'memory', options.memory ?? Infinity);
  return defineOperator<T, T>((source, out) => {
    const seen = new Set<unknown>();
    const isNew = (value: T): boolean => {
      const key = keyOf(value);
      if (key === undefined || key === null) return true;
      const known = memory === Infinity ? seen.has(key) : seen.delete(key);
      seen.add(key);
      if (seen.size > memory) {
        const oldest: unknown = seen.values().next().value;
        seen.delete(oldest);
        options.onForget?.(oldest);
      }
      return !known;
    };
    out.listen(source, {
      next(value) {
        if (isNew(value)) out.next(value);
      },
    });
  });
}
