import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface ListOptions {
  /** What the list is turned into. @default 'missing' */
  readonly as?: 'missing' | 'null' | 'empty' | 'object' | 'text' | undefined;
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** The list of rows isn't there, or isn't a list. */
export function list({ as = 'missing', list: path }: ListOptions): FaultAction {
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange);
      const { holder, key } = answer.list(path);
      if (as === 'missing') delete holder[key];
      else holder[key] = { null: null, empty: [], object: { 0: 'row' }, text: 'rows' }[as];
      answer.send();
    },
  };
}
