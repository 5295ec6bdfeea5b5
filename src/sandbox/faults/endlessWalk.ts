import type { FaultAction } from './FaultAction.ts';

/** There is always a next page, with rows that weren't there before. */
export function endlessWalk(): FaultAction {
  return { play: (exchange) => exchange.json(exchange.envelope(exchange.world.withoutEnd())) };
}
