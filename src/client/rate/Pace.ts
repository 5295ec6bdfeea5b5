/** Decides when the next request may start. One for the whole client; the admission asks it before each request. */
export interface Pace {
  /** Milliseconds to wait before a request may start; 0: now. Asking costs nothing. */
  waitMs(now: number): number;
  /** A request starts. */
  started(now: number): void;
  /** A request that started at `startedAt` was answered, and not with 429. */
  succeeded(now: number, startedAt: number): void;
  /** A request that started at `startedAt` was answered with 429; `retryAfterMs` where the service said how long. */
  throttled(now: number, startedAt: number, retryAfterMs: number | undefined): void;
  /** Requests a second it allows; undefined: no limit is known. */
  readonly rate: number | undefined;
}
