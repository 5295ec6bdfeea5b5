import type { Subscription } from 'rxjs';
import type { FlowClient } from './FlowClient.ts';

export const budgetReached = 'the budget of maxRequests is used up';

/** Counts a client's requests, retries included, and says when there have been as many as there may be. */
export class RequestBudget {
  readonly #sent = new Set<number>();
  readonly #listening: Subscription;
  readonly #most: number;
  #count = 0;
  #taken = 0;

  /** `changed` is called when the last request has gone out, and from then on for each one that ends. */
  constructor(client: FlowClient, most: number, changed: () => void) {
    this.#most = most;
    this.#listening = client.events$.subscribe((event) => {
      if (event.type === 'request') {
        this.#count += 1;
        this.#sent.add(event.id);
        if (this.#count === most) changed();
      } else if (event.type === 'answer' || event.type === 'retry' || event.type === 'failure') {
        this.#sent.delete(event.id);
        // Not now: who asked hasn't got the answer yet.
        if (this.reached) queueMicrotask(changed);
      }
    });
  }

  get reached(): boolean {
    return this.#count >= this.#most;
  }

  get inFlight(): number {
    return this.#sent.size;
  }

  /** Requests since this was last asked. */
  takeSpent(): number {
    const spent = this.#count - this.#taken;
    this.#taken = this.#count;
    return spent;
  }

  close(): void {
    this.#listening.unsubscribe();
  }
}
