const longestMs = 10_000;
const longMs = 800;
const slowly = 1.25;

/**
 * The distance to keep from the last request while a service refuses. It doubles with each refusal in a row, and grows more slowly
 * once it is long: what comes after the end of a window is lost.
 */
export class RefusalGap {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  /** Refused again; `shortestMs` is where the doubling begins. */
  refused(shortestMs: number): void {
    this.#ms = Math.min(Math.max(shortestMs, this.#ms * (this.#ms < longMs ? 2 : slowly)), longestMs);
  }

  over(): void {
    this.#ms = 0;
  }
}
