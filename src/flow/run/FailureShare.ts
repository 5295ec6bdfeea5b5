import { failureOf, passes } from './failureOf.ts';

const fewest = 20;
const handful = 5;

/** Counts the queries that end in this run, and detects when their failures point to a larger problem. */
export class FailureShare {
  readonly #most: number;
  #ended = 0;
  #failed = 0;
  /** A page has arrived in this run. */
  #came = false;
  /** Consecutive temporary failures. */
  #outage = 0;
  readonly #kinds = new Set<string>();
  #latest = '';

  /** `most`: the share that may fail. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a page, which may be the last of its query. */
  page(ended: boolean): void {
    this.#came = true;
    this.#outage = 0;
    if (ended) this.#ended += 1;
  }

  failed(error: unknown): void {
    const { name, message, status, code } = failureOf(error);
    this.#ended += 1;
    this.#failed += 1;
    this.#outage = passes(error) ? this.#outage + 1 : 0;
    this.#kinds.add([name, status ?? code].join(' ').trim());
    this.#latest = message;
  }

  /** Why the run must stop, in words. undefined while it needn't. */
  get tooMany(): string | undefined {
    if (!this.#came && this.#failed >= handful && this.#kinds.size === 1)
      return `nothing has come, and the first ${this.#failed} queries all failed with ${[...this.#kinds].join()}: ${this.#latest}`;
    if (this.#outage >= fewest) return `the last ${this.#outage} queries all failed for a reason that may pass: ${this.#latest}`;
    if (this.#ended < fewest || this.#failed / this.#ended <= this.#most) return undefined;
    return `${this.#failed} of ${this.#ended} queries have failed, which is more than failAbove (${this.#most}) allows. What failed for good is in failures.jsonl`;
  }
}
