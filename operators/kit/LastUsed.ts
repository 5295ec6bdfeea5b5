/** The values that were used last, by their keys: at most so many of them. One that goes is ended. */
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
    this.#values.set(key, value); // the last one used is the last one to go
    if (this.size > this.#most) this.drop(this.#values.keys().next().value!);
  }

  /** The value of a key, if it is there. To look at it is no use of it. */
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
