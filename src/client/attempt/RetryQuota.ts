const full = 500;
const firstPauseMs = 500;
const maxPauseMs = 30_000;

/** Prevents a storm of retries when everything fails. A retry takes tokens, a page returns one. */
export class RetryQuota {
  #tokens = full;
  #pauseMs = firstPauseMs;

  /** What is left. */
  get tokens(): number {
    return this.#tokens;
  }

  take(tokens: number): void {
    this.#tokens -= tokens;
  }

  giveBack(): void {
    this.#pauseMs = firstPauseMs;
    if (this.#tokens < full) this.#tokens++;
  }

  /** How long to send nothing when no tokens are left. Doubles each time, until a page arrives. */
  nextPauseMs(): number {
    const ms = this.#pauseMs;
    this.#pauseMs = Math.min(maxPauseMs, 2 * ms);
    return ms;
  }
}
