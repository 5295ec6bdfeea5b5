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
 * Watches a node that holds while something waits for it. What waits may be the very thing that the node waits for: a
 * promise inside a value, a cache, a Subject. From inside, that can't be told from a slow consumer, so it is found out:
 * when no request is on its way and the node has taken nothing for a second, one of those that wait is let go. If the
 * node moves then, more follow at once, twice as many each time; if it doesn't, the next one goes after twice the wait,
 * at most half a minute.
 * So a pipe that waits for itself ends, and one with a slow consumer stays bounded.
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
  /** When something that was let go was on its way for the last time; undefined: nothing was let go. */
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

  /** Nothing waits any more, but what was let go may still show whether that helped. */
  rest(): void {
    if (this.#wentAt !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The node let go. */
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
      // What was let go may have made the node release, and so stopped this watch.
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
