import { like, declareOptions } from '../../../operators/options/index.ts';

/** When a request started, and how many were in flight then, including it. */
export interface SentRequest {
  readonly startedAt: number;
  readonly inFlight: number;
  /** It failed in a way that may mean overload. Nothing says that it came too soon. */
  readonly strained?: boolean;
}

/**
 * The service's limit, from a response: how many more requests it accepts, and until when if it says so, or how many it accepts in any
 * such time.
 */
export type RateLimitReport =
  | { readonly remaining: number; readonly resetMs?: number | undefined }
  | { readonly requests: number; readonly perMs: number };

/** Decides when the next request may start. There is one for the whole client. The admission calls it before each request. */
export interface Pace {
  /**
   * Milliseconds until a request may start. 0: now. Infinity: not before another response has arrived. `inFlight`: the
   * number in flight at present.
   */
  waitMs(now: number, inFlight: number): number;
  /** Called when a request starts. */
  started(now: number): void;
  /** Called for a response that is no sign of overload. */
  succeeded(now: number, sent: SentRequest): void;
  /** Called for a 429 response or another sign of overload. `retryAfterMs` is set if the service said how long to wait. */
  throttled(now: number, sent: SentRequest, retryAfterMs: number | undefined): void;
  /**
   * Called if the headers of a response state a limit. `startedAt` is when its request started. The response is also reported as a
   * success or a refusal.
   */
  told?(now: number, startedAt: number, report: RateLimitReport): void;
  /** The time until which the service accepts nothing, as its headers say. Absent or -Infinity: it didn't say so. */
  readonly pausedUntil?: number;
  /** Requests that the service accepts at the same time, if that seems to be what it limits. */
  readonly atOnce?: number | undefined;
  /** Requests per second it allows. Undefined if no limit is known. */
  readonly rate: number | undefined;
}

/** Requests start this much further apart than needed, because they don't arrive as evenly as they are sent. */
const reserve = 0.006;
/** Some services count strictly. Each refusal leaves this much more, up to so much. */
const moreReserve = 0.004;
const mostReserve = 0.03;
const maxCatchUpMs = 100;
/** At such intervals late timers cost little. So once the service has refused, nothing is caught up: it may save nothing up. */
const farMs = 50;
const maxLog = 100_000;

export interface FixedPaceOptions {
  /** The most requests to start in any window of `perMs`. */
  readonly requests: number;
  readonly perMs: number;
}

const finite = like<number>('above 0', (value) => typeof value === 'number' && value > 0 && value < Infinity);
export const fixedPaceOptions = declareOptions<FixedPaceOptions>()({ requests: finite.needed(), perMs: finite.needed() });

/**
 * Keeps to a known limit. Requests start at even intervals, and never more than `requests` in any window of `perMs`. It
 * makes up for late timers, but not for idle time. It reaches 99.4 % of the limit, and about 96 % of one that still refuses some.
 */
export class FixedPace implements Pace {
  readonly rate: number;
  #intervalMs: number;
  #catchUpMs: number;
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

  waitMs(now: number): number {
    return Math.max(0, this.#next - now, this.#starts[this.#oldest]! + this.#windowMs - now);
  }

  started(now: number): void {
    this.#starts[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#starts.length;
    // Count from the schedule, not from now. Otherwise the delay of each late timer would be lost.
    this.#next = (now - this.#next <= this.#catchUpMs ? this.#next : now) + this.#intervalMs;
  }

  succeeded(): void {}

  throttled(): void {
    if (this.#intervalMs >= farMs) this.#catchUpMs = 0;
    const longestMs = (this.#windowMs / this.#starts.length) * (1 + mostReserve);
    this.#intervalMs = Math.min(this.#intervalMs * (1 + moreReserve), longestMs);
  }
}
