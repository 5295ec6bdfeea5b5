import type { FaultAction } from './FaultAction.ts';

/** 204, which has no body. */
export function noContent(): FaultAction {
  return { play: (exchange) => exchange.send(204, '') };
}
