const slots = 30;

/** Results of recent calls, in slots of a thirtieth of the window, so that single calls needn't be kept. */
export class HealthWindow {
  readonly #slotMs: number;
  readonly #good = new Uint32Array(slots);
  readonly #calls = new Uint32Array(slots);
  #allGood = 0;
  #allCalls = 0;
  /** The number of the newest slot, counted from time 0. */
  #newest = -1;

  constructor(windowMs: number) {
    this.#slotMs = windowMs / slots;
  }

  record(now: number, good: boolean): void {
    this.#advance(now);
    const slot = this.#newest % slots;
    this.#calls[slot]!++;
    this.#allCalls++;
    if (!good) return;
    this.#good[slot]!++;
    this.#allGood++;
  }

  /** The share of good calls, or undefined without calls. */
  share(now: number): number | undefined {
    this.#advance(now);
    return this.#allCalls === 0 ? undefined : this.#allGood / this.#allCalls;
  }

  /** Milliseconds until the next call leaves the window. Undefined if it is empty. */
  nextChangeMs(now: number): number | undefined {
    this.#advance(now);
    for (let age = slots - 1; age >= 0; age--) {
      const slot = this.#newest - age;
      if (slot >= 0 && this.#calls[slot % slots]! > 0) return (slot + slots) * this.#slotMs - now;
    }
    return undefined;
  }

  #advance(now: number): void {
    const current = Math.floor(now / this.#slotMs);
    for (let steps = Math.min(slots, current - this.#newest); steps > 0; steps--) {
      const slot = (current - steps + 1) % slots;
      this.#allGood -= this.#good[slot]!;
      this.#allCalls -= this.#calls[slot]!;
      this.#good[slot] = 0;
      this.#calls[slot] = 0;
    }
    if (current > this.#newest) this.#newest = current;
  }
}
