import type { Pace } from './Pace.ts';
import { like, declareOptions } from '../../../operators/options/index.ts';

/** Requests start this much further apart than needed, because they don't arrive as evenly as they are sent. */
const reserve = 0.006;
const maxCatchUpMs = 100;
const maxLog = 100_000;

export interface FixedPaceOptions {
  /** The most requests to start in any window of `perMs`. */
  readonly requests: number;
  readonly perMs: number;
}

const finite = like<number>('above 0', (value) => typeof value === 'number' && value > 0 && value < Infinity);
const fixedPaceOptions = declareOptions<FixedPaceOptions>()({ requests: finite.needed(), perMs: finite.needed() });

/**
 * Keeps to a known limit. Requests start at even intervals, and never more than `requests` in any window of `perMs`. It
 * makes up for late timers, but not for idle time. It reaches 99.4 % of the limit.
 */
export class FixedPace implements Pace {
  readonly rate: number;
  readonly #intervalMs: number;
  readonly #catchUpMs: number;
  readonly #windowMs: number;
  /** The last starts, in a ring. The oldest must be a window ago before the next request may start. */
  readonly #starts: Float64Array;
  #oldest = 0;
  #next = -Infinity;

  constructor(options: FixedPaceOptions) {
    const { requests, perMs } = fixedPaceOptions.read('FixedPace', options);
    const kept = Math.min(maxLog, Math.max(1, Math.floor(requests)));
    this.rate = (requests / perMs) * 1000;
    this.#intervalMs = (perMs / requests) * (1 + reserve);
    this.#catchUpMs = Math.min(perMs / 20, maxCatchUpMs);
    this.#windowMs = (perMs / requests) * kept;
    this.#starts = new Float64Array(kept).fill(-Infinity);
  }

  waitMs(now: number, _inFlight?: number, cost: number = 1): number {
    const { length } = this.#starts;
    const newest = this.#starts[(this.#oldest + Math.min(cost, length) - 1) % length]!; // of those whose place it takes
    return Math.max(0, this.#next - now, newest + this.#windowMs - now);
  }

  started(now: number, cost: number = 1): void {
    for (let taken = 0; taken < cost; taken++) {
      this.#starts[this.#oldest] = now;
      this.#oldest = (this.#oldest + 1) % this.#starts.length;
    }
    // Count from the schedule, not from now. Otherwise the delay of each late timer would be lost.
    this.#next = (now - this.#next <= this.#catchUpMs ? this.#next : now) + this.#intervalMs * cost;
  }

  succeeded(): void {}

  throttled(): void {}
}
