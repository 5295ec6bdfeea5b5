import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface TokenRingOptions {
  /** After how many tokens the first comes again. @default 2 */
  readonly length?: number | undefined;
}

/** The tokens of a walk lead in a ring. */
export function tokenRing({ length = 2 }: TokenRingOptions): FaultAction {
  const rings = new Map<string, unknown[]>();
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange);
      const { holder, key } = answer.token();
      const ring = rings.get(answer.walk) ?? [];
      rings.set(answer.walk, ring);
      if (ring.length < length && holder[key] !== undefined) ring.push(holder[key]);
      else holder[key] = ring[0];
      answer.send();
    },
  };
}
