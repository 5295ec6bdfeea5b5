const longestMs = 10_000;

/** The distance to keep from the last request while a service refuses: it doubles with each refusal in a row. */
export class RefusalGap {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  /** Refused again; `shortestMs` is where the doubling begins. */
  refused(shortestMs: number): void {
    this.#ms = Math.min(Math.max(shortestMs, 2 * this.#ms), longestMs);
  }

  over(): void {
    this.#ms = 0;
  }
}
