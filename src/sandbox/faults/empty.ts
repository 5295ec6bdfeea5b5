import type { FaultAction } from './FaultAction.ts';

/** 200 with an empty body. */
export function empty(): FaultAction {
  return { play: (exchange) => exchange.send(200, '', { 'content-type': 'application/json' }) };
}
