import { countOf } from '../../../operators/kit/countOf.ts';
import { isUnreliable, isLastIfRefused } from '../../../operators/walk/Recheck.ts';
import { pagingRequestOf, type StoreRequest } from '../../contract/index.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import { StoreError } from '../../errors/index.ts';
import type { CallRequest } from '../attempt/CallRequest.ts';
import { shownQuery, type AttemptFailure, type RawResponse } from '../attempt/AttemptFailure.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Page } from '../Client.ts';
import { storedPagesBefore } from './renewWalk.ts';
import type { StoredPayload, StoredResponses } from './StoredResponses.ts';

/**
 * How one call uses a store: it looks there first, waits for an equal request of its client, and stores its page. If the service refuses
 * the token of a stored page, the walk starts over, once.
 */
export class CallStore {
  /** The response is wanted as it arrived, too. */
  readonly keeps: boolean;
  readonly #core: Pick<ClientCore, 'events' | 'settings'>;
  readonly #responses: StoredResponses;
  readonly #request: CallRequest;
  /** Of its query. */
  readonly #key: StoreRequest;
  #renewed = false;
  /** When the response came that it found in the store. If it sends a request all the same, that response can't be used. */
  #foundAt: number | undefined;
  /** Its request in flight. */
  #sending: StoreRequest | undefined;
  #isOver = false;

  constructor(core: Pick<ClientCore, 'events' | 'settings'>, responses: StoredResponses, request: CallRequest) {
    this.#core = core;
    this.#responses = responses;
    this.#request = request;
    this.#key = responses.keyOf(request.operation, request.query);
    this.keeps = responses.records;
  }

  /** How another call uses the same store. */
  forCall(request: CallRequest): CallStore {
    return new CallStore(this.#core, this.#responses, request);
  }

  /** A stored response will do. */
  get looks(): boolean {
    return this.#request.renews !== true && this.#responses.store.mode !== 'record';
  }

  /** Passes on what is stored, or undefined, which is an error in a replay. */
  find(done: (found: StoredPayload | StoreError | undefined) => void): void {
    const responses = this.#responses;
    const read = (payload: StoredPayload | undefined): void => {
      if (payload !== undefined) return done(payload);
      done(responses.store.mode === 'replay' ? this.#missing() : undefined);
    };
    const found = responses.look(this.#key, this.#tell);
    this.#foundAt = found?.at;
    if (found === undefined) read(undefined);
    else responses.read(this.#request, found, this.#tell, read);
  }

  /**
   * Says that the request is sent now. If an equal one of this client is on its way, or a response was stored since it looked, `again`
   * is called when it may look again: returns how to cancel that.
   */
  send(query: object, again: () => void): (() => void) | undefined {
    this.#isOver = false;
    if (this.#request.renews === true || this.#sending !== undefined || this.#responses.store.mode !== 'reuse') return undefined;
    const key = this.#keyOf(query);
    const foundAt = this.#responses.look(key, this.#tell)?.at;
    if (foundAt !== undefined && foundAt !== this.#foundAt) {
      queueMicrotask(again);
      return () => undefined;
    }
    const cancel = this.#responses.send(key, again);
    if (cancel === undefined) this.#sending = key;
    return cancel;
  }

  /** The request is over. Calls that wait for it look again after this turn: by then its page is stored, or it is sent again. */
  sent(): void {
    if (this.#sending === undefined) return;
    this.#isOver = true;
    queueMicrotask(() => {
      if (!this.#isOver) return;
      this.#isOver = false;
      this.#responses.sent(this.#sending!);
      this.#sending = undefined;
    });
  }

  /** The page of a response is delivered. Meanwhile the walk has said whether it fits. */
  delivered(query: object, page: Page, raw: RawResponse): void {
    const key = this.#keyOf(query);
    if (isUnreliable(page)) return isLastIfRefused(page) ? this.#responses.hold(key, raw) : undefined;
    this.#responses.keep(key, raw, this.#tell);
  }

  /**
   * No retry helps. If the service refused a token of the store, passes on how many stored pages lead to it: they and the query are
   * requested again.
   */
  refused({ kind, details: { status = 0, code } = {} }: AttemptFailure, done: (pages: number | undefined) => void): void {
    if (kind === 'final' && this.#responses.keepHeld(this.#key, this.#tell)) return done(undefined);
    const isRefusal = !failureKinds[kind].passes && kind !== 'auth' && ((status >= 400 && status < 500) || code !== undefined);
    if (!isRefusal || this.#renewed || !this.#responses.records) return done(undefined);
    storedPagesBefore(this.#responses, this.#request, (pages) => {
      if (pages === undefined) return done(undefined);
      this.#renewed = true;
      const [param] = pagingRequestOf(this.#request.operation.spec.paging).params;
      const what = `${param} comes from a stored page, and the service refuses it`;
      this.#tell(`${what}: the walk starts over, and ${countOf(pages, 'page is', 'pages are')} requested again`);
      done(pages);
    });
  }

  /** The query may have a new token by now. */
  #keyOf(query: object): StoreRequest {
    return query === this.#request.query ? this.#key : this.#responses.keyOf(this.#request.operation, query);
  }

  #missing(): StoreError {
    const { operation, query } = this.#request;
    const what = `${this.#responses.store.folder} has no response to it, and a replay sends no request`;
    const message = `${operation.name}${shownQuery(query)}: ${what}; store it first, with mode 'reuse'`;
    return new StoreError(message, { operation: operation.name, query });
  }

  readonly #tell = (message: string): void => {
    const { events, settings } = this.#core;
    const { operation, query } = this.#request;
    if (events.on) events.emit({ type: 'store', operation: operation.name, query, at: settings.clock.wall(), message });
  };
}
