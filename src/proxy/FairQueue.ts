import { getOrInsert } from '../../operators/kit/once.ts';

/** Gives slots to callers in turn, so that one who sends a thousand requests doesn't hold up one who sends one. */
export class FairQueue {
  /** Requests that wait for a slot. */
  size = 0;
  #free: number;
  /** By caller. The next turn is the first one's. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Starts at once, or when the caller's turn comes. Returns a function that frees the slot, or takes the request out of the queue. */
  enter(caller: string, start: () => void): () => void {
    const begin = (): void => {
      this.#free -= 1;
      leave = () => {
        this.#free += 1;
        this.#next();
      };
      start();
    };
    let leave = (): void => this.#remove(caller, begin);
    getOrInsert(this.#waiting, caller, () => new Set<() => void>()).add(begin);
    this.size += 1;
    this.#next();
    return () => leave();
  }

  #next(): void {
    for (const [caller, own] of this.#waiting) {
      if (this.#free <= 0) return;
      const [begin] = own;
      this.#remove(caller, begin!);
      // Whoever had a turn goes to the end.
      if (own.size > 0) {
        this.#waiting.delete(caller);
        this.#waiting.set(caller, own);
      }
      begin!();
    }
  }

  #remove(caller: string, begin: () => void): void {
    const own = this.#waiting.get(caller);
    if (own?.delete(begin) === true) this.size -= 1;
    if (own?.size === 0) this.#waiting.delete(caller);
  }
}
