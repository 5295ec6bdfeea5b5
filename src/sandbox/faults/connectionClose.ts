import type { FaultAction } from './FaultAction.ts';
import { enlarged } from './enlarged.ts';

export interface ConnectionCloseOptions {
  /** How long the body is. @default 100000 */
  readonly bytes?: number | undefined;
}

/** A good answer with a large body, after which the connection closes. */
export function connectionClose({ bytes = 100_000 }: ConnectionCloseOptions): FaultAction {
  return { play: (exchange) => exchange.json(enlarged(exchange.envelope(), bytes), 200, { connection: 'close' }) };
}
