const full = 500;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** Stops a storm of retries when everything fails: a retry takes tokens, a page gives one back. */
export class RetryQuota {
  #tokens = full;
  #pauseMs = firstPauseMs;

  /** False: there aren't enough left, and nothing was taken. */
  take(tokens: number): boolean {
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  giveBack(): void {
    this.#pauseMs = firstPauseMs;
    if (this.#tokens < full) this.#tokens++;
  }

  /** How long nothing at all is to go out now that there are none left: twice as long each time, until a page comes. */
  nextPauseMs(): number {
    const ms = this.#pauseMs;
    this.#pauseMs = Math.min(longestPauseMs, 2 * ms);
    return ms;
  }
}
