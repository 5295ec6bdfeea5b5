import type { Pace } from './Pace.ts';

export interface LearntPaceOptions {
  /** Requests in flight at first; each answer makes room for two, and so does a little time. @default 8 */
  readonly firstRequests?: number | undefined;
  /** Share of the learnt rate to go on with after a decrease, while the service recovers. @default 0.7 */
  readonly decrease?: number | undefined;
  /** At most one decrease in this time; also how long the recovery takes. @default 5000 */
  readonly decreaseEveryMs?: number | undefined;
  /** Share of the rate that the 429s spoke for, to stay at. @default 0.99 */
  readonly margin?: number | undefined;
  /** How long to stay there before trying for more; after many 429s up to five times that. @default 60000 */
  readonly holdMs?: number | undefined;
}

/** What went well under one rate until the service refused. */
interface Evidence {
  readonly rate: number;
  readonly sinceMs: number;
  readonly successes: number;
  /** Requests that the rate had room for, those included that were held back after a 429. */
  readonly chances: number;
}

const dripMs = 50; // one more request in flight each, however long the first answer takes
const catchUpMs = 5; // timers fire late by about this
const shortestGapMs = 100; // until there is a rate
const longestGapMs = 10_000;
const unsureMs = 1000; // Retry-After has whole seconds
const pricePerRefusal = 200; // successes to wait for, so that looking for more costs well below 1 %

/**
 * A limit that nobody told. Free until the first 429; then the rate is what got through from one time the service had enough
 * to the next: the rate it had then, times the share of its chances that succeeded, whether a bucket ran dry or a window was
 * used up. That rate is approached from below, held, and then exceeded ever faster until the next 429.
 *
 * A burst of 429s is one decrease: answers to what started before it don't count. While 429s go on, requests keep doubling
 * distances, so that a service that is closed for the rest of its window is hardly asked. State and costs are constant.
 *
 * 429s that come before the first requests were answered well say next to nothing of a rate: they cost such distances, from
 * 100 ms on, and the rate is learnt from the next ones.
 */
export class LearntPace implements Pace {
  readonly #options: { readonly [K in keyof LearntPaceOptions]-?: number };
  /** The rate to stay at; undefined: no 429 so far. */
  #level: number | undefined;
  #holdMs = 0;
  /** Time spent sending at the full rate since the last decrease: a rate that isn't used can't be tried. */
  #pacedMs = 0;
  #nextAt = -Infinity;
  /** Distance to keep beyond the rate's own, after 429s. */
  #gapMs = 0;
  #sinceAt = 0;
  #successes = 0;
  #chances = 0;
  #reactedAt = -Infinity;
  #silentSince: number | undefined;
  /** When the next request is to go out after a 429; nobody has to be there for it. */
  #dueAt = -Infinity;
  #refusals = 0;
  /** Whether 429s that say too little were passed over already. */
  #passedOver = false;
  /** The evidence for the last decrease, as long as the silence after it may still say more. */
  #evidence: Evidence | undefined;

  constructor(options: LearntPaceOptions = {}) {
    const { firstRequests = 8, decrease = 0.7, decreaseEveryMs = 5000, margin = 0.99, holdMs = 60_000 } = options;
    must('firstRequests', firstRequests, 'at least 1', firstRequests >= 1);
    must('decrease', decrease, 'above 0 and at most 1', decrease > 0 && decrease <= 1);
    must('decreaseEveryMs', decreaseEveryMs, 'above 0 and finite', decreaseEveryMs > 0 && decreaseEveryMs < Infinity);
    must('margin', margin, 'above 0 and at most 1', margin > 0 && margin <= 1);
    must('holdMs', holdMs, 'above 0', holdMs > 0);
    this.#options = { firstRequests, decrease, decreaseEveryMs, margin, holdMs };
  }

  get rate(): number | undefined {
    if (this.#level === undefined) return undefined;
    const { decrease, decreaseEveryMs } = this.#options;
    const recovered = Math.min(1, this.#pacedMs / decreaseEveryMs);
    const beyond = Math.max(0, this.#pacedMs / this.#holdMs - 1);
    return this.#level * (decrease + (1 - decrease) * recovered) * (1 + 0.06 * beyond + beyond ** 3);
  }

  waitMs(now: number): number {
    if (this.#level !== undefined || this.#gapMs > 0) return Math.max(0, this.#nextAt - now);
    const missing = this.#chances + 1 - this.#options.firstRequests - 2 * this.#successes;
    return this.#chances === 0 ? 0 : Math.max(0, this.#sinceAt + missing * dripMs - now);
  }

  started(now: number): void {
    const rate = this.rate;
    if (rate === undefined) {
      if (this.#chances++ === 0) this.#sinceAt = now;
      else this.#sinceAt += Math.max(0, now - this.#nextAt - 1000); // idle time is nobody's limit
      this.#nextAt = now + this.#gapMs;
      return;
    }
    const intervalMs = 1000 / rate;
    if (now - this.#nextAt <= Math.max(intervalMs, 2 * catchUpMs)) this.#pacedMs += intervalMs;
    this.#chances += 1 + this.#gapMs / intervalMs;
    this.#nextAt = Math.max(this.#nextAt, now - catchUpMs) + intervalMs + this.#gapMs;
  }

  succeeded(_now: number, startedAt: number): void {
    if (this.#level === undefined || startedAt > this.#sinceAt) this.#successes++;
    if (startedAt <= this.#reactedAt) return;
    if (this.#level === undefined && this.#gapMs > 0) {
      this.#passedOver = true;
      this.#gapMs = 0;
      this.#refusals = 0;
      return;
    }
    this.#gapMs = this.#gapMs > 1 ? this.#gapMs / 2 : 0;
    if (this.#silentSince === undefined) return;
    if (this.#evidence !== undefined) {
      const silentMs = Math.min(startedAt, this.#dueAt) - this.#silentSince;
      this.#learn(this.#evidence, silentMs);
      this.#pacedMs += Math.min(3 * silentMs, this.#options.decreaseEveryMs); // nothing sent is recovery too, and more of it
      this.#evidence = undefined;
      this.#begin(startedAt);
    }
    this.#silentSince = undefined;
    this.#refusals = 0;
  }

  throttled(now: number, startedAt: number, retryAfterMs: number | undefined): void {
    this.#refusals++;
    if (startedAt <= this.#reactedAt) return;
    this.#reactedAt = now;
    if (this.#level === undefined && !this.#passedOver && this.#successes < this.#options.firstRequests) {
      this.#gapMs = Math.min(Math.max(shortestGapMs, 2 * this.#gapMs), longestGapMs);
      this.#nextAt = now + this.#gapMs;
      return;
    }
    this.#silentSince ??= now;
    const sinceMs = now - this.#sinceAt;
    // The first estimate may count a bucket's savings as if they came every second.
    const farOff = this.#successes >= 10 && this.#successes < this.#chances / 2;
    // While nothing has succeeded since the last decrease, a 429 says that it isn't over, not that the rate is wrong.
    if (this.#level === undefined || (this.#evidence === undefined && (farOff || sinceMs >= this.#options.decreaseEveryMs))) {
      this.#evidence = this.#takeEvidence(sinceMs);
      this.#learn(this.#evidence, 0);
      this.#pacedMs = 0;
      this.#begin(now);
    }
    const intervalMs = 1000 / this.rate!;
    this.#gapMs = Math.min(Math.max(intervalMs, 2 * this.#gapMs), longestGapMs);
    this.#nextAt = now + intervalMs + this.#gapMs;
    this.#dueAt = Math.max(this.#nextAt, now + (retryAfterMs ?? 0) + unsureMs);
  }

  #takeEvidence(sinceMs: number): Evidence {
    const successes = this.#successes;
    const { rate } = this;
    if (rate === undefined || this.#level === undefined) {
      return { rate: (1000 * Math.max(1, successes)) / Math.max(1000, sinceMs), sinceMs, successes, chances: successes };
    }
    // Beyond the level, the limit is somewhere between the two, for a bucket gives its savings first. A level that didn't last
    // was too high.
    const likely = this.#pacedMs > this.#holdMs ? Math.max((rate + this.#level) / 2, 0.9 * rate) : 0.96 * rate;
    return { rate: likely, sinceMs, successes, chances: this.#chances };
  }

  /** A service that stays silent for long used up its window: what it gave was for the silence too. */
  #learn({ rate, sinceMs, successes, chances }: Evidence, silentMs: number): void {
    const { margin, holdMs, decreaseEveryMs } = this.#options;
    const missed = (rate * Math.max(0, silentMs - unsureMs)) / 1000;
    this.#level = rate * margin * Math.min(1, (successes + 1) / (chances + missed));
    const worth = Math.max(holdMs, Math.min((pricePerRefusal * this.#refusals * 1000) / this.#level, 5 * holdMs));
    this.#holdMs = Math.min(worth, Math.max(decreaseEveryMs, 3 * (sinceMs + silentMs))); // what was measured in no time isn't believed for long
  }

  #begin(now: number): void {
    this.#gapMs = 0;
    this.#sinceAt = now;
    this.#successes = 0;
    this.#chances = 0;
  }
}

function must(option: string, value: number, what: string, holds: boolean): void {
  if (!holds) throw new RangeError(`LearntPace: ${option} must be ${what}, not ${value}`);
}
