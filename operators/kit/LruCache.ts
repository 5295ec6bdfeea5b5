/** A cache of at most `maxSize` values by key. When it is full, it drops the one that was used longest ago, and calls `end` with it. */
export class LruCache<Key, Value extends object> {
  readonly #values = new Map<Key, Value>();
  readonly #maxSize: number;
  readonly #end: (value: Value) => void;

  constructor(maxSize: number, end: (value: Value) => void = () => undefined) {
    this.#maxSize = maxSize;
    this.#end = end;
  }

  /** The value of a key, which is made if it isn't there. */
  use(key: Key, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.put(key, value);
    return value;
  }

  put(key: Key, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.size > this.#maxSize) this.drop(this.#values.keys().next().value!);
  }

  /** The value of a key, if it is there. This does not count as using it. */
  peek(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  get size(): number {
    return this.#values.size;
  }

  drop(key: Key): void {
    const value = this.#values.get(key);
    if (this.#values.delete(key)) this.#end(value!);
  }

  clear(): void {
    for (const key of this.#values.keys()) this.drop(key);
  }
}
