import type { Subscription } from 'rxjs';
import type { FlowClient } from './FlowClient.ts';

export const budgetReached = 'the budget of maxRequests is used up';

/** Counts a client's requests, retries included, and says when the budget is used up. */
export class RequestBudget {
  readonly #sent = new Set<number>();
  readonly #listening: Subscription;
  readonly #limit: number;
  #count = 0;
  #taken = 0;

  /**
   * `changed` is called when the last request was sent, and then each time a request ends. `gaveBack`: an attempt ended before it was
   * sent, so there is room again.
   */
  constructor(client: FlowClient, limit: number, { changed, gaveBack }: { readonly changed: () => void; readonly gaveBack: () => void }) {
    this.#limit = limit;
    const before = client.stats().requests;
    /** Later: the caller doesn't have the response yet, and the client has not given back an attempt that was not sent. */
    const afterwards = (): void => {
      this.#count = Math.min(this.#count, client.stats().requests - before);
      if (this.isSpent) changed();
      else gaveBack();
    };
    this.#listening = client.events$.subscribe((event) => {
      if (event.type === 'request') {
        this.#count += 1;
        this.#sent.add(event.id);
        if (this.#count === limit) changed();
      } else if (event.type === 'response' || event.type === 'pending' || event.type === 'retry' || event.type === 'failure') {
        this.#sent.delete(event.id);
        if (this.isSpent) queueMicrotask(afterwards);
      }
    });
  }

  get isSpent(): boolean {
    return this.#count >= this.#limit;
  }

  get inFlight(): number {
    return this.#sent.size;
  }

  /** Requests since the last call. */
  takeSpent(): number {
    const spent = Math.max(0, this.#count - this.#taken);
    this.#taken += spent;
    return spent;
  }

  close(): void {
    this.#listening.unsubscribe();
  }
}
