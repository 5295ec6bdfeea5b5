import type { Pace } from './Pace.ts';

/** A late start is made up for only within this share of the window, which the spacing keeps free in return. */
const reserve = 0.006;
const longestCatchUpMs = 25;
/** The first request also connects: a window that begins when it arrives begins late. */
const connectShare = 0.05;
const longestConnectMs = 250;

export interface FixedPaceOptions {
  /** Starts in any window of `perMs`, at most. */
  readonly requests: number;
  readonly perMs: number;
}

/**
 * A limit that is known: starts evenly spaced, and never more than `requests` of them in any window of `perMs`, wherever it begins.
 * What a late timer costs is made up for within a few milliseconds; no credit is saved beyond that. Reaches 99.4 % of the limit.
 */
export class FixedPace implements Pace {
  readonly rate: number;
  readonly #intervalMs: number;
  readonly #catchUpMs: number;
  readonly #connectMs: number;
  #next = -Infinity;

  constructor({ requests, perMs }: FixedPaceOptions) {
    if (!(requests > 0 && requests < Infinity)) throw new RangeError(`FixedPace: requests must be above 0, not ${requests}`);
    if (!(perMs > 0 && perMs < Infinity)) throw new RangeError(`FixedPace: perMs must be above 0, not ${perMs}`);
    this.rate = (requests / perMs) * 1000;
    this.#intervalMs = (perMs / requests) * (1 + reserve);
    this.#catchUpMs = Math.min(perMs * reserve, longestCatchUpMs);
    this.#connectMs = Math.min(perMs * connectShare, longestConnectMs);
  }

  waitMs(now: number): number {
    return Math.max(0, this.#next - now);
  }

  started(now: number): void {
    if (this.#next === -Infinity) {
      this.#next = now + this.#connectMs + this.#intervalMs;
      return;
    }
    // From the schedule and not from now, or each timer's lateness would be lost for good.
    this.#next = Math.max(this.#next, now - this.#catchUpMs) + this.#intervalMs;
  }

  succeeded(): void {}

  throttled(): void {}
}
