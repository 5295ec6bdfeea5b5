import { ownValue } from './kit/ownValue.ts';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { inWords } from './check/nearestName.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { callback, like, whole, type OptionKind, declareOptions } from './options/index.ts';

export interface DistinctByOptions {
  /** How many keys to remember. Beyond that, the key seen longest ago is forgotten. @default Infinity */
  readonly memory?: number | undefined;
  /** Called with each forgotten key. From then on it may pass again. */
  readonly onForget?: ((key: unknown) => void) | undefined;
}

const distinctByOptions = declareOptions<DistinctByOptions>()({ memory: whole({ from: 1 }).or(Infinity), onForget: callback() });

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
  const { memory, onForget } = distinctByOptions.read('distinctBy', options);
  const keyOf = keyReader('distinctBy', key);
  return defineOperator<T, T>((source, out) => {
    const seen = new Set<unknown>();
    const isNew = (value: T): boolean => {
      const key = keyOf(value);
      if (!hasKey(key)) return true;
      const known = memory === Infinity ? seen.has(key) : seen.delete(key);
      seen.add(key);
      if (seen.size > memory) {
        const oldest: unknown = seen.values().next().value;
        seen.delete(oldest);
        onForget?.(oldest);
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

/** Whether a value has a key: null and undefined are none. */
export function hasKey(key: unknown): boolean {
  return key !== undefined && key !== null;
}

const keyWords = "a field's name or a function";

/** The option that takes a key. */
export function keyOption<T>(): OptionKind<Key<T>, undefined> {
  return like(keyWords, isKey);
}

function isKey(key: unknown): boolean {
  return typeof key === 'function' || (typeof key === 'string' && key !== '');
}

/** Returns the function that reads a key. */
export function keyReader<T>(caller: string, key: Key<T>): (value: T) => unknown {
  if (typeof key === 'function') return key;
  if (!isKey(key)) throw new RangeError(`${caller}: the key must be ${keyWords}, not ${inWords(key)}`);
  // Every object inherits a `constructor`. Fields of a class, which are inherited too, are keys like any other.
  return key in Object.prototype ? (value) => ownValue(value, key) : (value) => value[key];
}
