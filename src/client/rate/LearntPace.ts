import type { Pace } from './Pace.ts';

export interface LearntPaceOptions {
  /** What is left of the rate after a 429. @default 0.7 */
  readonly decrease?: number | undefined;
  /** At most one decrease in this time. @default 5000 */
  readonly decreaseEveryMs?: number | undefined;
  /** How long a rate that was too high is remembered. @default 60000 */
  readonly holdMs?: number | undefined;
}

/** A limit that nobody told: free until the first 429, then a rate that keeps just below where the 429s begin. */
export class LearntPace implements Pace {
  readonly #decrease: number;
  readonly #everyMs: number;
  readonly #holdMs: number;
  #rate: number | undefined;
  #ceiling = Infinity;
  #next = -Infinity;
  #decreasedAt = -Infinity;
  #grownAt = 0;
  #firstAt: number | undefined;
  #answers = 0;

  constructor({ decrease = 0.7, decreaseEveryMs = 5000, holdMs = 60_000 }: LearntPaceOptions = {}) {
    if (!(decrease > 0 && decrease < 1)) throw new RangeError(`LearntPace: decrease must be between 0 and 1, not ${decrease}`);
    this.#decrease = decrease;
    this.#everyMs = decreaseEveryMs;
    this.#holdMs = holdMs;
  }

  get rate(): number | undefined {
    return this.#rate;
  }

  waitMs(now: number): number {
    return this.#rate === undefined ? 0 : Math.max(0, this.#next - now);
  }

  started(now: number): void {
    this.#firstAt ??= now;
    if (this.#rate !== undefined) this.#next = Math.max(this.#next, now - 5) + 1000 / this.#rate;
  }

  succeeded(now: number): void {
    this.#answers++;
    if (this.#rate === undefined) return;
    const step = (now - this.#grownAt) / 1000;
    this.#grownAt = now;
    const held = now - this.#decreasedAt < this.#holdMs;
    const grown = this.#rate + Math.max(0.05, this.#rate * 0.05) * step;
    if (!held) this.#rate = grown;
    else if (this.#rate < this.#ceiling) this.#rate = Math.min(grown, this.#ceiling);
  }

  throttled(now: number, startedAt: number): void {
    if (startedAt <= this.#decreasedAt || now - this.#decreasedAt < this.#everyMs) return;
    const seconds = Math.max(1, (now - (this.#firstAt ?? now)) / 1000);
    const rate = this.#rate ?? Math.max(1, this.#answers) / seconds;
    this.#ceiling = rate * 0.9;
    this.#rate = rate * this.#decrease;
    this.#decreasedAt = this.#grownAt = now;
    this.#next = Math.max(this.#next, now + 1000 / this.#rate);
  }
}
