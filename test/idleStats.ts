import type { ClientStats } from '../src/index.ts';

/** What a client says of itself that has sent nothing. */
export const idleStats: ClientStats = {
  inFlight: 0,
  waiting: 0,
  requests: 0,
  hits: 0,
  responses: 0,
  retries: 0,
  polls: 0,
  throttled: 0,
  failures: 0,
  failedAttempts: [],
  rate: undefined,
  pausedMs: 0,
  pausedUntil: undefined,
  budgetLeft: Infinity,
};
