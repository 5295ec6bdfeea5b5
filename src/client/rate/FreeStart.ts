const dripMs = 50; // one more request each, however long the first response takes
const idleMs = 1000; // a longer time without a request isn't caused by a limit
const roomPerResponse = 2;

/** The pace of a client that knows no limit yet: a few requests at first, and more with each response. */
export class FreeStart {
  readonly #firstRequests: number;
  #sent = 0;
  #firstAt = 0;
  #lastAt = 0;

  constructor(firstRequests: number) {
    this.#firstRequests = firstRequests;
  }

  /** Milliseconds until the next request may start. */
  waitMs(now: number, responses: number): number {
    const missing = this.#sent + 1 - this.#firstRequests - roomPerResponse * responses;
    return this.#sent === 0 ? 0 : Math.max(0, this.#firstAt + missing * dripMs - now);
  }

  /** A request starts. Returns the time since the last one, without idle time. */
  started(now: number): number {
    if (this.#sent++ === 0) this.#firstAt = this.#lastAt = now;
    const sinceMs = now - this.#lastAt;
    const usedMs = Math.min(sinceMs, idleMs);
    this.#firstAt += sinceMs - usedMs;
    this.#lastAt = now;
    return usedMs;
  }
}
