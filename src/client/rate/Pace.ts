/** When a request started, and how many were in flight then, itself included. */
export interface Trip {
  readonly startedAt: number;
  readonly inFlight: number;
}

/** What a response's headers say of the service's limit: how many more it takes until when, or how far apart they may be. */
export type RateLimitNews = { readonly remaining: number; readonly resetMs: number } | { readonly everyMs: number };

/** Decides when the next request may start. One for the whole client; the admission asks it before each request. */
export interface Pace {
  /**
   * Milliseconds to wait before a request may start; 0: now; Infinity: not before a response has come.
   * `inFlight`: how many are out at present. Asking costs nothing.
   */
  waitMs(now: number, inFlight: number): number;
  /** A request starts. */
  started(now: number): void;
  /** A response came that doesn't say that the service has had enough. */
  succeeded(now: number, trip: Trip): void;
  /** The service has had enough: a 429, or what stands for one. `retryAfterMs` where the service said how long. */
  throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void;
  /** A response to what started at `startedAt` told of a limit in its headers. It is also told as a success or a refusal. */
  told?(now: number, startedAt: number, news: RateLimitNews): void;
  /** Requests a second it allows; undefined: no limit is known. */
  readonly rate: number | undefined;
}
