import type { FaultAction } from './FaultAction.ts';

export interface RefusedOptions {
  /** How long nobody listens. @default 100 */
  readonly forMs?: number | undefined;
}

/** The service goes away: every connection is reset, and new ones are refused until it listens again. */
export function refused({ forMs = 100 }: RefusedOptions): FaultAction {
  return { play: (exchange) => exchange.goAway(forMs) };
}
