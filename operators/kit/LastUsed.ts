/** A cache of at most `most` values by key. The one that was used longest ago goes first, and `end` is called with it. */
export class LastUsed<Key, Value extends object> {
  readonly #values = new Map<Key, Value>();
  readonly #most: number;
  readonly #end: (value: Value) => void;

  constructor(most: number, end: (value: Value) => void = () => undefined) {
    this.#most = most;
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
    if (this.size > this.#most) this.drop(this.#values.keys().next().value!);
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
