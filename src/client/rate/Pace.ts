/** When a request started, and how many were in flight then, including it. A request with a `cost` counts as so many. */
export interface Trip {
  readonly startedAt: number;
  readonly inFlight: number;
  readonly cost?: number;
  /** It failed in a way that may mean overload. Nothing says that it came too soon. */
  readonly strained?: boolean;
}

/**
 * The service's limit, from a response: how many more requests it accepts, until when if it says so, how many fit
 * into a bucket of a size that empties steadily, or how many it accepts in any such time. `cost`: what a request like this one takes.
 */
export type RateLimitReport =
  | { readonly remaining: number; readonly resetMs?: number | undefined; readonly cost?: number | undefined }
  | { readonly remaining: number; readonly size: number; readonly perSecond: number; readonly cost?: number | undefined }
  | { readonly requests: number; readonly perMs: number };

/** Decides when the next request may start. There is one for the whole client. The admission calls it before each request. */
export interface Pace {
  /**
   * Milliseconds until a request may start. 0: now. Infinity: not before another response has arrived. `inFlight`: the
   * number in flight at present. A request of an operation with a `cost` counts as so many.
   */
  waitMs(now: number, inFlight: number, cost?: number): number;
  /** Called when a request starts. */
  started(now: number, cost?: number): void;
  /** Called for a response that is no sign of overload. */
  succeeded(now: number, trip: Trip): void;
  /** Called for a 429 response or another sign of overload. `retryAfterMs` is set if the service said how long to wait. */
  throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void;
  /** Called if the headers of a response state a limit. `startedAt` is when its request started. The response is also reported as a success or a refusal. */
  told?(now: number, startedAt: number, report: RateLimitReport): void;
  /** The time until which the service accepts nothing, as its headers say. Absent or -Infinity: it didn't say so. */
  readonly pausedUntil?: number;
  /** Requests that the service accepts at the same time, if that seems to be what it limits. */
  readonly atOnce?: number | undefined;
  /** Requests per second it allows. Undefined if no limit is known. */
  readonly rate: number | undefined;
}
