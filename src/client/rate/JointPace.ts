import type { Pace, RateLimitReport, Trip } from './Pace.ts';

/** Several paces at once: a request starts when all of them allow it. */
export class JointPace implements Pace {
  readonly #paces: readonly Pace[];

  constructor(paces: readonly Pace[]) {
    this.#paces = paces;
  }

  get rate(): number | undefined {
    const rates = this.#paces.flatMap(({ rate }) => rate ?? []);
    return rates.length === 0 ? undefined : Math.min(...rates);
  }

  get pausedUntil(): number {
    return Math.max(...this.#paces.map(({ pausedUntil = -Infinity }) => pausedUntil));
  }

  waitMs(now: number, inFlight: number, cost?: number): number {
    return Math.max(...this.#paces.map((pace) => pace.waitMs(now, inFlight, cost)));
  }

  started(now: number, cost?: number): void {
    for (const pace of this.#paces) pace.started(now, cost);
  }

  succeeded(now: number, trip: Trip): void {
    for (const pace of this.#paces) pace.succeeded(now, trip);
  }

  throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void {
    for (const pace of this.#paces) pace.throttled(now, trip, retryAfterMs);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    for (const pace of this.#paces) pace.told?.(now, startedAt, report);
  }
}
