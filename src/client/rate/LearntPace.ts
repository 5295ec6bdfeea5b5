import type { Pace } from './Pace.ts';

export interface LearntPaceOptions {
  /** Share of the rate to go on with right after a 429. @default 0.7 */
  readonly decrease?: number | undefined;
  /** Share of the rate that the 429s speak for, to come back to and to stay at. @default 0.99 */
  readonly margin?: number | undefined;
  /** At most one decrease in this time, which is also the time it takes to come back. @default 5000 */
  readonly decreaseEveryMs?: number | undefined;
  /** How long to stay before trying for more, at most. @default 60000 */
  readonly holdMs?: number | undefined;
  /** Requests in flight at first; each answer lets two more follow. @default 8 */
  readonly firstRequests?: number | undefined;
}

const catchUpMs = 5;
const longestGapMs = 10_000;
const dripMs = 50;

/** What happened under one rate, until the service had enough. */
interface Period {
  readonly rate: number;
  readonly startedAt: number;
  /** Requests that succeeded, of those that the rate had room for. */
  readonly successes: number;
  readonly chances: number;
}

/**
 * A limit that nobody told: free until the first 429, then a rate just below where the 429s begin.
 */
export class LearntPace implements Pace {
  readonly #options: { readonly [K in keyof LearntPaceOptions]-?: number };
  /** The rate to stay at; undefined while no 429 has come. */
  #level: number | undefined;
  /** Time spent sending at the rate since the level was set; idle time teaches nothing. */
  #pacedMs = 0;
  #holdMs = 0;
  #next = -Infinity;
  #gapMs = 0;
  #firstAt = 0;
  #periodAt = 0;
  #successes = 0;
  #chances = 0;
  #refused = 0;
  #reactedAt = -Infinity;
  #silentSince: number | undefined;
  #closing: Period | undefined;

  constructor({ decrease = 0.7, margin = 0.99, decreaseEveryMs = 5000, holdMs = 60_000, firstRequests = 8 }: LearntPaceOptions = {}) {
    this.#options = { decrease, margin, decreaseEveryMs, holdMs, firstRequests };
  }

  get rate(): number | undefined {
    if (this.#level === undefined) return undefined;
    const { decrease, decreaseEveryMs } = this.#options;
    if (this.#pacedMs < decreaseEveryMs) return this.#level * (decrease + (1 - decrease) * (this.#pacedMs / decreaseEveryMs));
    const probing = Math.max(0, this.#pacedMs / this.#holdMs - 1);
    return this.#level * (1 + 0.06 * probing + probing ** 3 / 4);
  }

  waitMs(now: number): number {
    if (this.#level !== undefined) return Math.max(0, this.#next - now);
    if (this.#chances === 0) return 0;
    const room = this.#options.firstRequests + 2 * this.#successes - this.#chances;
    return Math.max(0, this.#firstAt + (1 - room) * dripMs - now);
  }

  started(now: number): void {
    const rate = this.rate;
    if (rate === undefined) {
      if (this.#chances++ === 0) this.#firstAt = this.#periodAt = now;
      return;
    }
    const interval = 1000 / rate;
    if (now - this.#next <= Math.max(interval, 2 * catchUpMs)) this.#pacedMs += interval;
    this.#chances += 1 + this.#gapMs / interval;
    this.#next = Math.max(this.#next, now - catchUpMs) + interval + this.#gapMs;
  }

  succeeded(now: number, startedAt: number): void {
    if (this.#level === undefined || startedAt > this.#periodAt) this.#successes++;
    if (startedAt <= this.#reactedAt) return;
    this.#gapMs = this.#gapMs > 1 ? this.#gapMs / 2 : 0;
    if (this.#silentSince === undefined) return;
    if (this.#closing) {
      this.#settle(this.#closing, startedAt - this.#silentSince, startedAt);
      this.#closing = undefined;
      this.#begin(startedAt);
    }
    this.#silentSince = undefined;
    this.#refused = 0;
  }

  throttled(now: number, startedAt: number): void {
    this.#refused++;
    if (startedAt <= this.#reactedAt) return;
    this.#reactedAt = now;
    this.#silentSince ??= now;
    const rate = this.rate;
    if (rate === undefined) {
      const seconds = Math.max(1, (now - this.#firstAt) / 1000);
      this.#close(
        { rate: Math.max(1, this.#successes) / seconds, startedAt: this.#firstAt, successes: this.#successes, chances: this.#successes },
        now,
      );
    } else if (this.#closing === undefined && now - this.#periodAt >= this.#options.decreaseEveryMs) {
      const probing = this.#pacedMs > this.#holdMs;
      const base = probing ? Math.max((rate + this.#level!) / 2, 0.9 * rate) : 0.93 * rate;
      this.#close({ rate: base, startedAt: this.#periodAt, successes: this.#successes, chances: this.#chances }, now);
    }
    const interval = 1000 / this.rate!;
    this.#gapMs = Math.min(Math.max(interval, this.#gapMs * 2), longestGapMs);
    this.#next = now + interval + this.#gapMs;
  }

  #close(period: Period, now: number): void {
    this.#closing = period;
    this.#settle(period, 0, now);
    this.#pacedMs = 0;
    this.#begin(now);
  }

  #begin(now: number): void {
    this.#gapMs = 0;
    this.#periodAt = now;
    this.#successes = 0;
    this.#chances = 0;
  }

  #settle({ rate, startedAt, successes, chances }: Period, silentMs: number, now: number): void {
    const { margin, holdMs, decreaseEveryMs } = this.#options;
    this.#level = rate * margin * Math.min(1, (successes + 1) / (chances + (rate * Math.max(0, silentMs - 1000)) / 1000));
    this.#holdMs = Math.min(
      Math.max(holdMs, Math.min((150_000 * this.#refused) / this.#level, 5 * holdMs)),
      Math.max(decreaseEveryMs, 3 * (now - startedAt)),
    );
  }
}
