export interface RateProbeOptions {
  /** The requests per second that the service seems to allow. */
  readonly level: number;
  /** How long to keep that rate before trying more. */
  readonly holdMs: number;
  /** How long it then takes to reach about twice the rate. */
  readonly growMs: number;
  /**
   * Requests to hold back at first, so that the service recovers. Below 0: requests that it has saved up meanwhile. @default
   * 0
   */
  readonly owed?: number;
  /** Nothing was refused, but much failed. @default false */
  readonly strained?: boolean | undefined;
}

const eased = 0.8;
const hurried = 1.5;
const slowest = 1 / 60; // a wait of more than a minute is a pause, and only the service may ask for one
const slowestIfStrained = 1; // where so little fails just as often, it isn't overload

/** A rate over time. It stays at its level, then rises ever faster until the service refuses. */
export class RateProbe {
  readonly level: number;
  readonly #options: RateProbeOptions;
  /** How long the rate is below or above its level at first. */
  readonly #settleMs: number;
  readonly #settling: number;
  #usedMs = 0;

  constructor(options: RateProbeOptions) {
    const { owed = 0, strained = false } = options;
    this.level = Math.max(strained ? slowestIfStrained : slowest, options.level);
    this.#options = options;
    this.#settling = owed < 0 ? hurried : eased;
    this.#settleMs = (1000 * owed) / (this.level * (1 - this.#settling));
  }

  /** No rate above the level was tried yet. */
  get early(): boolean {
    return this.#usedMs <= this.#options.holdMs;
  }

  get rate(): number {
    if (this.#usedMs < this.#settleMs) return this.level * this.#settling;
    const { holdMs, growMs } = this.#options;
    const beyond = Math.max(0, this.#usedMs - holdMs) / growMs;
    return this.level * (1 + 0.06 * beyond + beyond ** 3);
  }

  /** Adds time in which the rate was used. An unused rate tells nothing. */
  use(ms: number): void {
    this.#usedMs += ms;
  }
}
