const maxMs = 10_000;
const longMs = 800;
const slowly = 1.25;

/**
 * The time to leave after a request while a service refuses. It doubles with each refusal in a row. Once it is long it grows
 * more slowly, because time after the end of a window is lost.
 */
export class RefusalGap {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  /** Takes another refusal. Doubling begins at `shortestMs`. */
  refused(shortestMs: number): void {
    this.#ms = Math.min(Math.max(shortestMs, this.#ms * (this.#ms < longMs ? 2 : slowly)), maxMs);
  }

  over(): void {
    this.#ms = 0;
  }
}
