import type { FaultAction } from './FaultAction.ts';
import { retryAfterHeader, type RetryAfter } from './retryAfterHeader.ts';

export interface StatusOptions {
  readonly status: number;
  /** Said with it. @default none */
  readonly retryAfter?: RetryAfter | undefined;
  /** @default a JSON document that says the status */
  readonly body?: string | undefined;
}

/** An answer of another status. */
export function status({ status, retryAfter, body }: StatusOptions): FaultAction {
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    throw new RangeError(`startSandbox: the fault 'status' needs a status from 100 to 599, not ${String(status)}`);
  }
  return {
    play(exchange) {
      const headers = retryAfterHeader(retryAfter, exchange.world.now());
      if (body === undefined) exchange.json(exchange.wrap(null, status, `status ${status}`), status, headers);
      else exchange.send(status, body, headers);
    },
  };
}
