import type { Pace, RateLimitReport, Trip } from '../client/rate/Pace.ts';

const lookAgainMs = 50;

/** A pace that also waits until a worker can take a request. */
export class LedPace implements Pace {
  readonly #pace: Pace;
  readonly #hasRoom: () => boolean;

  constructor(pace: Pace, hasRoom: () => boolean) {
    this.#pace = pace;
    this.#hasRoom = hasRoom;
  }

  get rate(): number | undefined {
    return this.#pace.rate;
  }

  get pausedUntil(): number {
    return this.#pace.pausedUntil ?? -Infinity;
  }

  /** A result frees a slot, and the admission checks at once. New workers are noticed a moment later. */
  waitMs(now: number, inFlight: number, cost?: number): number {
    const waitMs = this.#pace.waitMs(now, inFlight, cost);
    return this.#hasRoom() ? waitMs : Math.max(waitMs, lookAgainMs);
  }

  started(now: number, cost?: number): void {
    this.#pace.started(now, cost);
  }

  succeeded(now: number, trip: Trip): void {
    this.#pace.succeeded(now, trip);
  }

  throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void {
    this.#pace.throttled(now, trip, retryAfterMs);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    this.#pace.told?.(now, startedAt, report);
  }
}
