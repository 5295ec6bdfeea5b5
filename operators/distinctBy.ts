import { ownValue } from './kit/ownValue.ts';
import { checkOptions, checkCount } from './check/checkOptions.ts';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { defineOperator } from './kit/defineOperator.ts';

export interface DistinctByOptions {
  /** How many keys to remember. Beyond that, the key seen longest ago is forgotten. @default Infinity */
  readonly memory?: number | undefined;
  /** Called with each forgotten key. From then on it may pass again. */
  readonly onForget?: ((key: unknown) => void) | undefined;
}

/**
 * Emits each key once, by a field name or a function. Values whose key is null or undefined always pass.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing forgets the keys.
 * - Memory: one entry per key, up to `memory`.
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

/** The key of a value: a field name, or a function. */
export type Key<T> = (keyof T & string) | ((value: T) => unknown);

/** Returns the function that reads a key. */
export function keyReader<T>(caller: string, key: Key<T>): (value: T) => unknown {
  if (typeof key === 'function') return key;
  if (typeof key === 'string' && key !== '') {
    // Every object inherits a `constructor`. Fields of a class, which are inherited too, are keys like any other.
    return key in Object.prototype ? (value) => ownValue(value, key) : (value) => value[key];
  }
  throw new RangeError(`${caller}: the key must be a field's name or a function, not ${key as string}`);
}
