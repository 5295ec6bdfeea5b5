import { failureOf } from '../state/failureOf.ts';

/** A share of fewer queries means nothing. */
const enoughQueries = 20;
/** If so many failed in a row for a reason that may pass, perhaps nobody gets through. */
const outageRow = 20;
/** The same while nothing has come yet in this run. */
const firstRow = 5;

interface FailureShareOptions {
  /** The share that may fail. */
  readonly limit: number;
  /** Queries that ended in earlier runs. */
  readonly earlier: number;
  /** Pages came in earlier runs. */
  readonly cameEarlier: boolean;
}

/** Counts the queries that end in this run, and detects when their failures point to a larger problem. */
export class FailureShare {
  readonly #options: FailureShareOptions;
  #ended = 0;
  #failed = 0;
  /** Failures in a row for a reason that may pass. */
  #row = 0;
  /** The service has responded to somebody in this run. */
  #served = false;
  /** Failures before that, of any reason. */
  #first = 0;
  readonly #kinds = new Set<string>();
  #latest = '';

  constructor(options: FailureShareOptions) {
    this.#options = options;
  }

  /** Counts a page, which may be the last of its query. */
  page(ended: boolean): void {
    this.served();
    if (ended) this.#ended += 1;
  }

  /** The service responds. */
  served(): void {
    this.#served = true;
    this.#row = 0;
  }

  /** A query failed for good. */
  failed(error: unknown): void {
    this.#ended += 1;
    this.#failed += 1;
    this.#row = 0;
    this.#note(error);
  }

  /** A query failed for a reason that may pass. */
  postponed(error: unknown): void {
    this.#row += 1;
    this.#note(error);
  }

  /** Why the run must stop, in words. undefined while it needn't. */
  get tooMany(): string | undefined {
    const { limit, earlier, cameEarlier } = this.#options;
    if (!this.#served && !cameEarlier && this.#first >= firstRow && this.#kinds.size === 1)
      return `nothing has come, and the first ${this.#first} queries all failed with ${[...this.#kinds].join()}: ${this.#latest}`;
    const ended = this.#ended + (this.#served ? earlier : 0);
    if (ended < enoughQueries || this.#failed / ended <= limit) return undefined;
    return `${this.#failed} of ${ended} queries have failed, which is more than failAbove (${limit}) allows. What failed for good is in failures.jsonl`;
  }

  /** Why it seems that nobody gets through, in words. undefined while it doesn't. */
  get outage(): string | undefined {
    if (this.#row < (this.#served ? outageRow : firstRow)) return undefined;
    return `the last ${this.#row} queries all failed for a reason that may pass: ${this.#latest}`;
  }

  #note(error: unknown): void {
    const { name, message, status, code } = failureOf(error);
    if (!this.#served) this.#first += 1;
    this.#kinds.add([name, status ?? code].join(' ').trim());
    this.#latest = message;
  }
}
