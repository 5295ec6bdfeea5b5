const full = 500;

/** Stops a storm of retries when everything fails: a retry takes tokens, a page gives one back. */
export class RetryQuota {
  #tokens = full;

  /** False: there aren't enough left, and nothing was taken. */
  take(tokens: number): boolean {
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  giveBack(): void {
    if (this.#tokens < full) this.#tokens++;
  }
}
