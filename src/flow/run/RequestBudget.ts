import type { ClientEvent } from '../../client/events/clientEvents.ts';
import type { FlowClient } from './FlowClient.ts';

export const budgetReached = 'the budget of maxRequests is used up';

interface RequestBudgetOptions {
  /** Called when the last request was sent, and then each time a request ends. */
  readonly changed: () => void;
  /** An attempt ended before it was sent, so there is room again. */
  readonly gaveBack: () => void;
}

/** Counts a client's requests, retries included, and says when the budget is used up. */
export class RequestBudget {
  readonly #client: FlowClient;
  readonly #limit: number;
  readonly #options: RequestBudgetOptions;
  readonly #before: number;
  /** Requests in flight, and the query of each. */
  readonly #sent = new Map<number, number | undefined>();
  #count = 0;
  #taken = 0;

  constructor(client: FlowClient, limit: number, options: RequestBudgetOptions) {
    this.#client = client;
    this.#limit = limit;
    this.#options = options;
    this.#before = client.stats().requests;
  }

  /** Takes any event of the client. */
  event(event: ClientEvent): void {
    if (event.type === 'request') {
      this.#count += 1;
      this.#sent.set(event.id, event.walk);
      if (this.#count === this.#limit) this.#options.changed();
    } else if (event.type === 'response' || event.type === 'pending' || event.type === 'retry' || event.type === 'failure') {
      this.#sent.delete(event.id);
      // Later: the caller doesn't have the response yet, and the client has not given back an attempt that was not sent.
      if (this.isSpent) queueMicrotask(() => this.#recount());
    }
  }

  get isSpent(): boolean {
    return this.#count >= this.#limit;
  }

  get inFlight(): number {
    return this.#sent.size;
  }

  /** The request of a query was cancelled, and nothing more is told of it. */
  cancelled(query: number): void {
    for (const [id, walk] of this.#sent) if (walk === query) this.#sent.delete(id);
  }

  /** Requests since the last call. */
  takeSpent(): number {
    const spent = Math.max(0, this.#count - this.#taken);
    this.#taken += spent;
    return spent;
  }

  #recount(): void {
    this.#count = Math.min(this.#count, this.#client.stats().requests - this.#before);
    if (this.isSpent) this.#options.changed();
    else this.#options.gaveBack();
  }
}
