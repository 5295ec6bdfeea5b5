import type { NginxLimit } from './startNginx.mjs';

/** Limits as nginx has them, and a path without one. `slow` ones take 100 ms a response. */
export const nginxLimits: readonly (NginxLimit & {
  /** How many responses it gives in so many seconds, at most. */
  readonly allowed?: (seconds: number) => number;
  /** How many requests it takes at once. */
  readonly inFlight?: number;
})[];
