/** Limits the parts in memory. Their buffers are used again: left to the garbage collector, they would pile up. */
export class PartBuffers {
  readonly #slots: Slots;
  readonly #free: Buffer[] = [];

  constructor(count: number) {
    this.#slots = new Slots(count);
  }

  /** Runs with a buffer of at least this size, once one is free. */
  use<T>(bytes: number, work: (buffer: Buffer) => Promise<T>): Promise<T> {
    return this.#slots.run(async () => {
      const free = this.#free.pop();
      const buffer = free === undefined || free.length < bytes ? Buffer.allocUnsafeSlow(bytes) : free;
      try {
        return await work(buffer);
      } finally {
        this.#free.push(buffer);
      }
    });
  }
}

/** Runs no more than so many pieces of work at a time. */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
