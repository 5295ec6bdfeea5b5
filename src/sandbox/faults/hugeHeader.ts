import type { FaultAction } from './FaultAction.ts';

export interface HugeHeaderOptions {
  /** @default 20000 */
  readonly bytes?: number | undefined;
}

/** A good answer with a header past what a client may take. */
export function hugeHeader({ bytes = 20_000 }: HugeHeaderOptions): FaultAction {
  return {
    play: (exchange) => exchange.json(exchange.envelope(), 200, { 'x-huge': 'h'.repeat(bytes) }),
  };
}
