/** Gives places to callers in turn, so that one who sends a thousand requests doesn't hold up one who sends one. */
export class FairQueue {
  readonly #places: number;
  readonly #waiting = new Map<string, Set<() => void>>();
  #taken = 0;
  #size = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** Requests that wait for a place. */
  get size(): number {
    return this.#size;
  }

  /** Starts at once, or when the caller's turn comes. Returns what gives the place back, or takes the request out of the queue. */
  enter(caller: string, start: () => void): () => void {
    let state: 'waiting' | 'in' | 'over' = 'waiting';
    const begin = (): void => {
      state = 'in';
      this.#taken += 1;
      start();
    };
    const own = this.#waiting.get(caller) ?? new Set();
    if (this.#taken < this.#places && this.#size === 0) begin();
    else {
      this.#waiting.set(caller, own.add(begin));
      this.#size += 1;
    }
    return () => {
      if (state === 'waiting') this.#remove(caller, own, begin);
      else if (state === 'in') {
        this.#taken -= 1;
        this.#next();
      }
      state = 'over';
    };
  }

  #next(): void {
    for (const [caller, own] of this.#waiting) {
      if (this.#taken >= this.#places) return;
      const [begin] = own;
      this.#remove(caller, own, begin!);
      // Whoever had a turn goes to the end.
      if (own.size > 0) {
        this.#waiting.delete(caller);
        this.#waiting.set(caller, own);
      }
      begin!();
    }
  }

  #remove(caller: string, own: Set<() => void>, begin: () => void): void {
    if (!own.delete(begin)) return;
    this.#size -= 1;
    if (own.size === 0) this.#waiting.delete(caller);
  }
}
