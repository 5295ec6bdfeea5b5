import type { IncomingHttpHeaders } from 'node:http';
import { type Priced, responseOf, rowsIn } from '../../contract/index.ts';
import type { Paid, LedgerClient, Reserved } from '../../ledger/LedgerClient.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { AttemptFailure, AttemptRequest } from './AttemptFailure.ts';
import { unspendable } from './attemptFailures.ts';

/** What tells the price of a request. `response`: it has brought one. */
export function pricedBy(request: AttemptRequest, headers: IncomingHttpHeaders, response: Payload | undefined): Priced {
  return { headers, cost: response?.cost, rows: response && (() => rowsOf(request, response)) };
}

function rowsOf({ operation, query, rows }: AttemptRequest, { pending, spans, data }: Payload): number {
  if (pending !== undefined) return 0;
  return spans?.rows.length ?? rowsIn(operation, data, rows ?? responseOf(operation, query).rows).items.length;
}

/** What an attempt takes of the ledger: reserved before it is sent, settled once when it is over. Without a ledger it does nothing. */
export class Payment {
  readonly #ledger: LedgerClient | undefined;
  readonly #request: AttemptRequest;
  #reserved: Reserved | undefined;
  #isOver = false;

  constructor(ledger: LedgerClient | undefined, request: AttemptRequest) {
    this.#ledger = ledger;
    this.#request = request;
  }

  /** Calls `then` at once, or when it is reserved: with a failure if nothing may be spent. Never if the attempt is over by then. */
  reserve(then: (failure: AttemptFailure | undefined) => void): void {
    const found = this.#ledger?.take(this.#request.operation, this.#request.poll !== undefined);
    const go = (taken: Awaited<typeof found>): void => {
      if (taken !== undefined && 'because' in taken) return then(unspendable(taken));
      this.#reserved = taken;
      if (this.#isOver) this.settle({ sent: false, failed: false }, {}, undefined);
      else then(undefined);
    };
    if (found instanceof Promise) void found.then(go);
    else go(found);
  }

  settle({ sent, failed }: Pick<Paid, 'sent' | 'failed'>, headers: IncomingHttpHeaders, response: Payload | undefined): void {
    const { operation, number } = this.#request;
    this.#isOver = true;
    if (this.#reserved === undefined) return;
    const priced = pricedBy(this.#request, headers, response);
    this.#ledger!.settle(this.#reserved, { ...priced, sent, failed, operation, isRetry: number > 1 });
    this.#reserved = undefined;
  }
}
