const patienceMs = 1000;
const verdictMs = 10;
const longestMs = 30_000;
const mostAtOnce = 64;

/** What can be seen of a node that holds. */
export interface Watched {
  readonly moves: number;
  readonly active: number;
  readonly waiting: number;
}

/**
 * Watches a node that holds while something waits for it. The node may itself need the thing that waits: a promise
 * inside a value, a cache, a Subject. From inside, this looks the same as a slow consumer, so the watch tests it. When
 * no request is in flight and the node has taken nothing for a second, one waiter is released. If the node then moves,
 * more follow at once, twice as many each time. If it doesn't, the next one is released after twice the wait, up to
 * half a minute. So a pipe that waits for itself ends, and one with a slow consumer stays bounded.
 *
 * Its timer also keeps the process alive while something waits.
 */
export class StallWatch {
  readonly #node: Watched;
  readonly #letGo: (most: number) => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = patienceMs;
  #atOnce = 1;
  #moves = 0;
  /** When a released waiter was last in flight. Undefined if nothing was released. */
  #wentAt: number | undefined;

  constructor(node: Watched, letGo: (most: number) => number) {
    this.#node = node;
    this.#letGo = letGo;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#moves = this.#node.moves;
    this.#schedule(this.#waitMs);
  }

  /** Nothing waits any more, but released waiters may still show whether that helped. */
  rest(): void {
    if (this.#wentAt !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The node released. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#wentAt !== undefined) this.#judge(performance.now() - this.#wentAt <= 2 * verdictMs);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    const moved = this.#node.moves !== this.#moves;
    this.#moves = this.#node.moves;
    if (this.#node.active > 0) {
      if (this.#wentAt !== undefined) this.#wentAt = performance.now();
      return this.#schedule(this.#wentAt === undefined ? this.#waitMs : verdictMs);
    }
    if (this.#wentAt !== undefined) this.#judge(moved);
    else if (!moved) {
      this.#wentAt = performance.now();
      const timer = this.#timer;
      this.#letGo(this.#atOnce);
      // A released waiter may have made the node release, and so stopped this watch.
      return this.#timer === timer ? this.#schedule(verdictMs) : undefined;
    }
    if (this.#node.waiting > 0) this.#schedule(this.#waitMs);
    else this.#timer = undefined;
  }

  #judge(helped: boolean): void {
    this.#wentAt = undefined;
    this.#atOnce = helped ? Math.min(this.#atOnce * 2, mostAtOnce) : 1;
    this.#waitMs = helped ? verdictMs : Math.min(Math.max(patienceMs, this.#waitMs * 2), longestMs);
  }
}
