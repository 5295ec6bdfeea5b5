import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface SamePageOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** Every page of a walk holds the rows of its first, with a new token each. */
export function samePage({ list }: SamePageOptions): FaultAction {
  const firsts = new Map<string, readonly unknown[]>();
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange, exchange.world.withoutEnd());
      const { holder, key } = answer.list(list);
      const first = firsts.get(answer.walk) ?? answer.rows(list);
      firsts.set(answer.walk, first);
      holder[key] = first;
      answer.send();
    },
  };
}
