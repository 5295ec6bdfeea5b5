/** A service with a limit, in virtual time. */
export interface Service {
  /** A request arrives: undefined, or for how long there will be nothing. */
  ask(now: number): number | undefined;
  /** How long the request that has just been let in takes. @default 0 */
  takesMs?(now: number): number;
  /** A request is done. */
  served?(): void;
  /** How many requests it lets through until then. */
  allowed(untilMs: number): number;
}

/** Fills evenly. A rate that changes is `[fromMs, perSecond]` in order. */
export function tokenBucket(perSecond: number | readonly (readonly [fromMs: number, perSecond: number])[], burst: number): Service;

/** So many in each window of the clock; of the first one, `phase` (from 0 to 1) is over before the client comes. */
export function fixedWindow(requests: number, perMs: number, phase?: number): Service;

/** So many in any window, wherever it begins. */
export function slidingWindow(requests: number, perMs: number): Service;

/** So many in flight; each takes `takesMs`. */
export function inFlightLimit(most: number, takesMs: number): Service;

/** As nginx limits without `nodelay`: requests wait for their turn, and are refused when more than `burst` wait. */
export function delayingBucket(perSecond: number, burst: number): Service;

/**
 * As nginx counts with `limit_req`: whole milliseconds, thousandths of a request, and a refusal changes nothing. With `delay`
 * requests wait for their turn, as without `nodelay`.
 */
export function leakyNginx(perSecond: number, burst: number, delay?: boolean): Service;
