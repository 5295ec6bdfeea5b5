import { Turns } from '../../operators/kit/Turns.ts';

/** Limits the parts in memory. Their buffers are used again: left to the garbage collector, they would pile up. */
export class PartBuffers {
  readonly #turns: Turns;
  readonly #free: Buffer[] = [];

  constructor(count: number) {
    this.#turns = new Turns(count);
  }

  /** Runs with a buffer of at least this size, once one is free. */
  use<T>(bytes: number, work: (buffer: Buffer) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
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
