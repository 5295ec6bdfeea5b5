import type { FaultAction } from './FaultAction.ts';
import { enlarged } from './enlarged.ts';

export interface HugePageOptions {
  /** @default 67108864 (64 MiB) */
  readonly bytes?: number | undefined;
}

/** A good answer that is far too large. */
export function hugePage({ bytes = 67_108_864 }: HugePageOptions): FaultAction {
  return { play: (exchange) => exchange.json(enlarged(exchange.envelope(), bytes)) };
}
