const most = 256;
const lateMs = 2000;
const shortestMs = 200;

/** Requests a second that a service let through. */
export interface RateMeasure {
  /** It allows at least this. */
  readonly low: number;
  /** What it let through shortly before it refused: savings included, it allows no more. */
  readonly high: number;
}

/**
 * What the responses between two refusals say about the rate that a service allows. It had enough at the beginning and it has
 * had enough again, so what it let through in between is what it allows in that time.
 */
export class RateEstimate {
  /** When the successes started, each `stride`th of them: half are dropped when there are too many. */
  #starts: number[] = [];
  #stride = 1;
  #successes = 0;
  #usedMs = 0;

  get successes(): number {
    return this.#successes;
  }

  /** Time that was used for sending. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Time passes in which the service is used as much as the rate allows. Idle time isn't told. */
  use(ms: number): void {
    this.#usedMs += ms;
  }

  succeeded(startedAt: number): void {
    if (this.#successes++ % this.#stride !== 0) return;
    this.#starts.push(startedAt);
    if (this.#starts.length < most) return;
    this.#starts = this.#starts.filter((_, nth) => nth % 2 === 0);
    this.#stride *= 2;
  }

  /**
   * The rate, if the service refused at `refusedAt` and stayed silent for `silentMs` more. A service that lets nothing pass for
   * long has used up its window: what it gave before was for the silence too.
   *
   * While too little is sent, the service's savings are full and more is lost, so that the whole says too little. But what
   * gets through in any part of the time, beyond the `burst` that can have been saved, came in during that part.
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
