const fewest = 20;

/** Counts the queries that end in this run, and how many of them fail. */
export class FailureShare {
  readonly #most: number;
  #ended = 0;
  #failed = 0;

  /** `most`: the share that may fail. */
  constructor(most: number) {
    this.#most = most;
  }

  ended(failed: boolean): void {
    this.#ended += 1;
    if (failed) this.#failed += 1;
  }

  /** Why the run has to stop, in words; undefined while it needn't. */
  get tooMany(): string | undefined {
    if (this.#ended < fewest || this.#failed / this.#ended <= this.#most) return undefined;
    return `${this.#failed} of ${this.#ended} queries have failed, which is more than failAbove (${this.#most}) allows. What failed is in failures.jsonl.part; running it again goes on`;
  }
}
