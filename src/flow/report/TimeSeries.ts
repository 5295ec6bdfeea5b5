const noCounts = { requests: 0, responses: 0, throttled: 0, retries: 0, failures: 0, rows: 0 };

/** What is counted. `throttled`: 429 responses. */
type Count = keyof typeof noCounts;
const counts = Object.keys(noCounts) as readonly Count[];

/** What happened within one bucket of time. */
export type Bucket = { [C in Count]: number } & {
  /** The learnt rate at the end of the bucket, if known. */
  rate: number | undefined;
};

/** Counts over time in a fixed number of buckets. When they run out, two become one, so memory doesn't grow with the run. */
export class TimeSeries {
  readonly startedAt: number;
  #widthMs = 100;
  #buckets: Bucket[] = [];
  readonly #limit: number;

  /** `limit` is even. */
  constructor(startedAt: number, limit = 160) {
    this.startedAt = startedAt;
    this.#limit = limit;
  }

  get widthMs(): number {
    return this.#widthMs;
  }

  get buckets(): readonly Readonly<Bucket>[] {
    return this.#buckets;
  }

  add(count: Count, at: number, by = 1): void {
    this.#at(at)[count] += by;
  }

  setRate(rate: number | undefined, at: number): void {
    this.#at(at).rate = rate;
  }

  #at(at: number): Bucket {
    const sinceMs = Math.max(0, at - this.startedAt);
    while (sinceMs >= this.#widthMs * this.#limit) this.#fold();
    const index = Math.floor(sinceMs / this.#widthMs);
    while (this.#buckets.length <= index) this.#buckets.push({ ...noCounts, rate: this.#buckets.at(-1)?.rate });
    return this.#buckets[index]!;
  }

  #fold(): void {
    const next = this.#buckets.filter((_, index) => index % 2 === 1);
    this.#buckets = this.#buckets.filter((_, index) => index % 2 === 0);
    for (const [index, { rate, ...added }] of next.entries()) {
      const bucket = this.#buckets[index]!;
      for (const count of counts) bucket[count] += added[count];
      bucket.rate = rate;
    }
    this.#widthMs *= 2;
  }
}
