const maxStarts = 256;
const lateMs = 2000;
const shortestMs = 200;

/** The requests per second that a service let through. */
interface RateMeasure {
  /** The service allows at least this. */
  readonly low: number;
  /** What it let through shortly before it refused. It allows no more than this, saved-up requests included. */
  readonly high: number;
}

/**
 * Estimates a rate from the responses between two refusals. The service was at its limit at both times, so what it let
 * through in between is what it allows in that time.
 */
export class RateEstimate {
  /** The start times of successes. Only each `stride`th is kept: when there are too many, half are dropped. */
  #starts: number[] = [];
  #stride = 1;
  #successes = 0;
  #usedMs = 0;

  get successes(): number {
    return this.#successes;
  }

  /** The time spent sending. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Adds time in which requests were sent as fast as allowed. Idle time isn't added. */
  use(ms: number): void {
    this.#usedMs += ms;
  }

  succeeded(startedAt: number): void {
    if (this.#successes++ % this.#stride !== 0) return;
    this.#starts.push(startedAt);
    if (this.#starts.length < maxStarts) return;
    this.#starts = this.#starts.filter((_, nth) => nth % 2 === 0);
    this.#stride *= 2;
  }

  /** The requests that got through before `refusedAt` beyond a rate: the service must have saved up at least so many. */
  beyond(rate: number, refusedAt: number): number {
    const starts = this.#starts.filter((startedAt) => startedAt <= refusedAt);
    const extra = starts.map((startedAt, nth) => (starts.length - nth) * this.#stride - (rate * (refusedAt - startedAt)) / 1000);
    return Math.max(1, ...extra);
  }

  /**
   * The rate, if the service refused at `refusedAt` and then everything for `silentMs`. A long silence means that a window
   * was used up, so the silence belongs to the period.
   *
   * A client that sends too little wastes what the service could save up, and the mean over the whole period is too low. So
   * it looks at each part of the period: what got through in it, beyond the `burst` that may have been saved, was allowed
   * during that part.
   */
  measure(refusedAt: number, silentMs: number, burst: number): RateMeasure {
    const successes = Math.max(1, this.#successes);
    let low = successes / Math.max(1, this.#usedMs + silentMs);
    let high = successes / Math.max(1, this.#usedMs);
    for (const [nth, startedAt] of this.#starts.entries()) {
      const count = this.#successes - nth * this.#stride;
      const ms = refusedAt - startedAt;
      if (ms >= lateMs) high = count / ms;
      if (ms >= shortestMs && count - burst >= 4) low = Math.max(low, (count - burst) / ms);
    }
    return { low: 1000 * low, high: 1000 * high };
  }
}
