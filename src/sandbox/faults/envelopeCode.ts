import type { FaultAction } from './FaultAction.ts';

export interface EnvelopeCodeOptions {
  /** @default 500 */
  readonly code?: number | undefined;
  /** @default 'internal error' */
  readonly message?: string | undefined;
}

/** HTTP says 200, the envelope says something else. */
export function envelopeCode({ code = 500, message = 'internal error' }: EnvelopeCodeOptions): FaultAction {
  return { play: (exchange) => exchange.json(exchange.wrap(null, code, message)) };
}
