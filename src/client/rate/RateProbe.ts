export interface RateProbeOptions {
  /** Requests a second that the service seems to allow. */
  readonly level: number;
  /** How long that rate is held before more is tried. */
  readonly holdMs: number;
  /** How long it takes then to come to about twice as much. */
  readonly growMs: number;
  /** Requests to leave out at first, for the service to recover; below 0: requests that it has saved up meanwhile. @default 0 */
  readonly owed?: number;
}

const eased = 0.8;
const hurried = 1.5;

/** A rate over time: at its level, then ever faster above it, until the service refuses. */
export class RateProbe {
  readonly level: number;
  readonly #options: RateProbeOptions;
  /** How long the rate starts below or above its level. */
  readonly #settleMs: number;
  readonly #settling: number;
  #usedMs = 0;

  constructor(options: RateProbeOptions) {
    const { level, owed = 0 } = options;
    this.level = level;
    this.#options = options;
    this.#settling = owed < 0 ? hurried : eased;
    this.#settleMs = (1000 * owed) / (level * (1 - this.#settling));
  }

  /** Nothing beyond the level was tried so far. */
  get early(): boolean {
    return this.#usedMs <= this.#options.holdMs;
  }

  get rate(): number {
    if (this.#usedMs < this.#settleMs) return this.level * this.#settling;
    const { holdMs, growMs } = this.#options;
    const beyond = Math.max(0, this.#usedMs - holdMs) / growMs;
    return this.level * (1 + 0.06 * beyond + beyond ** 3);
  }

  /** Time passes in which the rate is used: one that isn't used can't be tried. */
  use(ms: number): void {
    this.#usedMs += ms;
  }
}
