import { Slots } from './Slots.ts';

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
