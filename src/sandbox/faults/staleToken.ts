import { Refusal } from '../Refusal.ts';
import type { FaultAction } from './FaultAction.ts';

/** Tokens are too old: any page but a first one is refused. */
export function staleToken(): FaultAction {
  return {
    play(exchange) {
      const { paging } = exchange.operation.spec;
      const param = paging.kind === 'none' ? undefined : paging.param;
      if (param !== undefined && exchange.query[param] !== undefined) throw new Refusal(400, `${param}: this token has expired`);
      exchange.json(exchange.envelope());
    },
  };
}
