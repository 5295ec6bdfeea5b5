import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

/** A page hands out the very token it was asked with; a first page stays as it is. */
export function repeatedToken(): FaultAction {
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange);
      const { holder, key } = answer.token();
      const { paging } = exchange.operation.spec;
      holder[key] = (paging.kind === 'cursor' ? exchange.query[paging.param] : undefined) ?? holder[key];
      answer.send();
    },
  };
}
