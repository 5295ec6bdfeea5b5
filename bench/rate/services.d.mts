/** A service with a limit, in virtual time. */
export interface Service {
  /** A request arrives: undefined, or for how long there will be nothing. */
  ask(now: number): number | undefined;
  /** How many requests it lets through until then. */
  allowed(untilMs: number): number;
}

/** Fills evenly. A rate that changes is `[fromMs, perSecond]` in order. */
export function tokenBucket(perSecond: number | readonly (readonly [fromMs: number, perSecond: number])[], burst: number): Service;

/** So many in each window of the clock; of the first one, `phase` (from 0 to 1) is over before the client comes. */
export function fixedWindow(requests: number, perMs: number, phase?: number): Service;

/** So many in any window, wherever it begins. */
export function slidingWindow(requests: number, perMs: number): Service;
