/** Runs no more than so many pieces of work at a time. */
export class Slots {
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

  /** Runs all. After a failure nothing more begins, and it throws once the rest has ended. */
  async all<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    let failed = false;
    const done = await Promise.allSettled(
      Array.from(items, (item) =>
        this.run(async () => {
          if (failed) return;
          await work(item).catch((error: unknown) => {
            failed = true;
            throw error;
          });
        }),
      ),
    );
    for (const one of done) if (one.status === 'rejected') throw one.reason;
  }
}
