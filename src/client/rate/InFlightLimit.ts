const firstHoldMs = 5000;
const longestHoldMs = 120_000;
const close = 0.75;
const mostCorrections = 3;
const pauseCosts = 6; // a refusal with a pause costs as much as so many without

/**
 * The number of requests that a service accepts at the same time, if that is what it limits. The first refusals suggest a
 * number. It holds as long as only requests beyond it are refused. If the service refuses with far fewer in flight, there is
 * no such limit.
 */
export class InFlightLimit {
  #most = Infinity;
  /** How many more to try. */
  #more = 0;
  /** Successes while the limit, or the number on trial, was in flight. */
  #filled = 0;
  #state: 'unknown' | 'suspected' | 'proven' | 'none' = 'unknown';
  #corrections = 0;
  #holdMs = firstHoldMs;
  #tryAt = Infinity;

  /** Requests that may be in flight now. */
  most(now: number): number {
    if (this.#state === 'proven' && now >= this.#tryAt && this.#more === 0) {
      this.#more = 1;
      this.#filled = 0;
    }
    return this.#most + this.#more;
  }

  succeeded(inFlight: number): void {
    const tried = this.#most + this.#more;
    if (inFlight < tried || tried === Infinity) return;
    this.#filled++;
    if (this.#more === 0) {
      if (this.#filled >= 4 * this.#most) this.#state = 'proven';
    } else if (this.#filled >= tried) {
      this.#most = tried;
      this.#more *= 2;
      this.#filled = 0;
    }
  }

  /** Another refusal among requests that were sent together. Each of the first few lowers the number by one. */
  refusedToo(): void {
    if (this.#state === 'suspected' && this.#filled === 0) this.#most = Math.max(1, this.#most - 1);
  }

  /** Whether the number in flight explains a refusal. `last`: the number in flight when the last request started. */
  explains(now: number, inFlight: number, last: number, retryAfterMs: number | undefined): boolean {
    if (this.#state === 'unknown') {
      this.#state = 'suspected';
      this.#most = Math.max(1, last - 1);
      if (retryAfterMs !== undefined) this.#holdMs *= pauseCosts;
      this.#tryAt = now + this.#holdMs;
    } else if (this.#state === 'proven') {
      if (inFlight <= this.#most) return false;
      this.#more = 0;
      this.#filled = 0;
      this.#holdMs = Math.min(longestHoldMs, this.#holdMs * (retryAfterMs === undefined ? 2 : pauseCosts));
      this.#tryAt = now + this.#holdMs;
      return true;
    } else if (inFlight > close * this.#most && inFlight > 1 && this.#corrections < mostCorrections) {
      this.#corrections++;
      this.#most = Math.min(this.#most, inFlight - 1);
    } else {
      this.#state = 'none';
      this.#most = Infinity;
    }
    return false;
  }
}
