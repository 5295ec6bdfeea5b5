import { checkOptions } from '../../../operators/check/checkOptions.ts';
import type { Pace } from './Pace.ts';

/** Starts are this much further apart than they need be, since they don't arrive as evenly as they are sent. */
const reserve = 0.006;
const longestCatchUpMs = 100;
const longestLog = 100_000;

export interface FixedPaceOptions {
  /** Starts in any window of `perMs`, at most. */
  readonly requests: number;
  readonly perMs: number;
}

/**
 * A known limit: starts evenly spaced, and never more than `requests` of them in any window of `perMs`. What a late
 * timer costs is made up for; what was idle is not. Reaches 99.4 % of the limit.
 */
export class FixedPace implements Pace {
  readonly rate: number;
  readonly #intervalMs: number;
  readonly #catchUpMs: number;
  readonly #windowMs: number;
  /** The last starts, in a ring: the oldest must be a window ago. */
  readonly #starts: Float64Array;
  #oldest = 0;
  #next = -Infinity;

  constructor(options: FixedPaceOptions) {
    checkOptions('FixedPace', options, ['requests', 'perMs']);
    const { requests, perMs } = options;
    if (!(requests > 0 && requests < Infinity)) throw new RangeError(`FixedPace: requests must be above 0, not ${requests}`);
    if (!(perMs > 0 && perMs < Infinity)) throw new RangeError(`FixedPace: perMs must be above 0, not ${perMs}`);
    const kept = Math.min(longestLog, Math.max(1, Math.floor(requests)));
    this.rate = (requests / perMs) * 1000;
    this.#intervalMs = (perMs / requests) * (1 + reserve);
    this.#catchUpMs = Math.min(perMs / 20, longestCatchUpMs);
    this.#windowMs = (perMs / requests) * kept;
    this.#starts = new Float64Array(kept).fill(-Infinity);
  }

  waitMs(now: number): number {
    return Math.max(0, this.#next - now, this.#starts[this.#oldest]! + this.#windowMs - now);
  }

  started(now: number): void {
    this.#starts[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#starts.length;
    // From the schedule and not from now, or each timer's lateness would be lost for good.
    this.#next = (now - this.#next <= this.#catchUpMs ? this.#next : now) + this.#intervalMs;
  }

  succeeded(): void {}

  throttled(): void {}
}
