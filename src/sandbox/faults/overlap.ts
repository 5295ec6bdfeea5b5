import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface OverlapOptions {
  /** How many rows of the page before come again. @default 3 */
  readonly rows?: number | undefined;
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** A page begins with the last rows of the page before. */
export function overlap({ rows = 3, list }: OverlapOptions): FaultAction {
  const before = new Map<string, readonly unknown[]>();
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange);
      const own = answer.rows(list);
      const last = before.get(answer.walk) ?? [];
      before.set(answer.walk, own.slice(-rows));
      if (own.length > 0) own.unshift(...last);
      answer.send();
    },
  };
}
