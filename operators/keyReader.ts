/** The key of a value: a field name, or a function. */
export type Key<T> = (keyof T & string) | ((value: T) => unknown);

/** Returns the function that reads a key. */
export function keyReader<T>(caller: string, key: Key<T>): (value: T) => unknown {
  if (typeof key === 'function') return key;
  if (typeof key === 'string' && key !== '') return (value) => value[key];
  throw new RangeError(`${caller}: the key must be a field's name or a function, not ${key as string}`);
}
