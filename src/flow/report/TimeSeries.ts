/** What happened within one bucket of time. */
export interface Bucket {
  requests: number;
  responses: number;
  /** 429 responses. */
  throttled: number;
  retries: number;
  failures: number;
  rows: number;
  /** The learnt rate at the end of the bucket, if known. */
  rate: number | undefined;
}

type Count = Exclude<keyof Bucket, 'rate'>;

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
    while (this.#buckets.length <= index) this.#buckets.push(emptyBucket(this.#buckets.at(-1)?.rate));
    return this.#buckets[index] as Bucket;
  }

  #fold(): void {
    const folded: Bucket[] = [];
    for (let index = 0; index < this.#buckets.length; index += 2) {
      const bucket = this.#buckets[index] as Bucket;
      const next = this.#buckets[index + 1];
      folded.push(next === undefined ? bucket : sum(bucket, next));
    }
    this.#buckets = folded;
    this.#widthMs *= 2;
  }
}

function emptyBucket(rate: number | undefined): Bucket {
  return { requests: 0, responses: 0, throttled: 0, retries: 0, failures: 0, rows: 0, rate };
}

function sum(one: Bucket, next: Bucket): Bucket {
  return {
    requests: one.requests + next.requests,
    responses: one.responses + next.responses,
    throttled: one.throttled + next.throttled,
    retries: one.retries + next.retries,
    failures: one.failures + next.failures,
    rows: one.rows + next.rows,
    rate: next.rate,
  };
}
