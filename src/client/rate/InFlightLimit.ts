const firstHoldMs = 1000;
const longestHoldMs = 120_000;
const close = 0.75;
const mostCorrections = 3;
const pauseCosts = 30; // a refusal with a pause costs as much as so many without

/**
 * The number of requests that a service accepts at the same time, if that is what it limits. The first refusals suggest a
 * number. It holds as long as only requests beyond it are refused. If the service refuses with far fewer in flight, there is
 * no such limit.
 */
export class InFlightLimit {
  #most = Infinity;
  /** The most in flight when a request started that was accepted before any was refused. */
  #accepted = 1;
  /** How many more to try. */
  #more = 0;
  /** A request waits for this limit alone. */
  #holds = false;
  /** Successes while the limit, or the number on trial, was in flight and held the next request back. */
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

  /** Called when only this limit keeps a request from starting. */
  held(): void {
    this.#holds = true;
  }

  /** Returns whether this success proved the number. */
  succeeded(inFlight: number): boolean {
    const tried = this.#most + this.#more;
    if (this.#state === 'unknown') this.#accepted = Math.max(this.#accepted, inFlight);
    if (inFlight < tried || !this.#holds) return false;
    this.#holds = false;
    this.#filled++;
    if (this.#more === 0) {
      if (this.#state !== 'suspected' || this.#filled < 4 * this.#most) return false;
      this.#state = 'proven';
      return true;
    }
    if (this.#filled >= tried) {
      this.#most = tried;
      this.#more *= 2;
      this.#filled = 0;
    }
    return false;
  }

  /**
   * Another refusal among requests that were sent together. Each of the first few lowers the number by one. If more than
   * that were accepted before, there is no such limit.
   */
  refusedToo(): void {
    if (this.#state !== 'suspected' || this.#filled > 0) return;
    this.#most--;
    if (this.#most < close * this.#accepted) this.#refute();
  }

  /** Whether the number in flight explains a refusal. `last`: the number in flight when the last request started. */
  explains(now: number, inFlight: number, last: number, retryAfterMs: number | undefined): boolean {
    if (this.#state === 'unknown') {
      this.#state = 'suspected';
      this.#most = Math.max(1, last - 1);
      if (retryAfterMs !== undefined) this.#holdMs *= pauseCosts;
      this.#tryAt = now + this.#holdMs;
    } else if (this.#state === 'proven') {
      // Requests overtake each other, so it may be another one that was too many.
      if (inFlight < this.#most + (this.#more > 0 ? 0 : 1)) return false;
      this.#filled = 0;
      this.#more = Math.floor(this.#more / 2);
      if (this.#more > 0) return true;
      this.#holdMs = Math.min(longestHoldMs, this.#holdMs * (retryAfterMs === undefined ? 2 : pauseCosts));
      this.#tryAt = now + this.#holdMs;
      return true;
    } else if (inFlight > close * this.#most && inFlight > 1 && this.#corrections < mostCorrections) {
      this.#corrections++;
      this.#most = Math.min(this.#most, inFlight - 1);
    } else {
      this.#refute();
    }
    return false;
  }

  #refute(): void {
    this.#state = 'none';
    this.#most = Infinity;
  }
}
