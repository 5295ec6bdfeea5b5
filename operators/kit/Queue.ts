/** A first-in, first-out queue with constant cost at any length: a ring that doubles when it is full. */
export class Queue<T> {
  #ring: (T | undefined)[] = slots(16);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: T): void {
    if (this.#length === this.#ring.length) this.#resize(this.#length * 2);
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = value;
    this.#length += 1;
  }

  /** The first value; undefined when there is none. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#length -= 1;
    // Free the memory after a long backlog.
    if (this.#ring.length > 1024 && this.#length <= this.#ring.length / 4) this.#resize(this.#ring.length / 2);
    return value;
  }

  clear(): void {
    this.#ring = slots(16);
    this.#head = 0;
    this.#length = 0;
  }

  #resize(size: number): void {
    const ring = slots<T>(size);
    for (let i = 0; i < this.#length; i++) ring[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#head = 0;
  }
}

function slots<T>(size: number): (T | undefined)[] {
  const ring: (T | undefined)[] = [];
  ring.length = size;
  return ring;
}
