import type { SpanRequest } from '../spans/SpanReader.ts';
import type { StoredResponses } from './StoredResponses.ts';

/** A call waits this long for a request of somebody else, who may be asleep. Then it sends its own. */
const maxWaitMs = 30_000;

/** A call's reservation on its request, so that nobody else who shares the store sends it too. */
export class StoreReservation {
  /** A response is of use only if it was stored after this, in milliseconds since 1970. */
  since = -Infinity;
  readonly #responses: StoredResponses;
  #held: SpanRequest | undefined;
  /** Since when the call waits for somebody else who has reserved it. */
  #waitsSince: number | undefined;

  constructor(responses: StoredResponses) {
    this.#responses = responses;
  }

  /** Whether the call may send its request now. */
  take(request: SpanRequest, now: number): boolean {
    if (this.#held !== undefined || this.#responses.store.mode !== 'reuse') return true;
    this.#waitsSince ??= now;
    if (now - this.#waitsSince > maxWaitMs) return true;
    if (!this.#responses.reserve(request, this.since)) return false;
    this.#held = request;
    return true;
  }

  /** After this turn: a good page is stored once it is delivered. */
  release(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    queueMicrotask(() => this.#responses.release(held));
  }
}
