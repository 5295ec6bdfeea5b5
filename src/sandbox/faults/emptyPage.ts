import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface EmptyPageOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** A page without rows that nonetheless leads on; where it is the last, on to an endless world. */
export function emptyPage({ list }: EmptyPageOptions): FaultAction {
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange, exchange.world.withoutEnd());
      answer.rows(list).length = 0;
      answer.send();
    },
  };
}
