import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface TokenOptions {
  /** What the token is turned into. @default 'missing' */
  readonly as?: 'missing' | 'null' | 'empty' | 'number' | 'object' | undefined;
}

/** The token of the next page isn't there, or isn't a text. */
export function token({ as = 'missing' }: TokenOptions): FaultAction {
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange);
      const { holder, key } = answer.token();
      if (as === 'missing') delete holder[key];
      else holder[key] = { null: null, empty: '', number: 12_345, object: { token: 'x' } }[as];
      answer.send();
    },
  };
}
