import { countOf } from '../../../operators/kit/countOf.ts';
import { isUnreliable, isLastIfRefused } from '../../../operators/walk/Recheck.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import { StoreError } from '../../errors/index.ts';
import type { CallRequest } from '../attempt/CallRequest.ts';
import { shownQuery, type AttemptFailure, type RawResponse } from '../attempt/AttemptFailure.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Page } from '../Client.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';
import type { ClientStore } from './ClientStore.ts';
import type { Source } from './HandedOut.ts';
import type { StoredPayload, StoredResponses } from './StoredResponses.ts';

/** A call waits this long for a request of somebody else, who may be asleep. Then it sends its own. */
const maxWaitMs = 30_000;

/** The page to request again for a new value of a query, and why. */
export interface Renewal {
  readonly source: Source;
  readonly why: string;
}

/**
 * How one call uses a store: it looks there first, reserves its request, and stores its page. If a value of its query came from
 * a stored page and is no longer valid, it is renewed once. `renews`: it ignores and replaces the stored response.
 */
export class StoreUse {
  /** The response is wanted as it arrived, too. */
  readonly keeps: boolean;
  /** The headers of a conditional request. */
  condition: readonly string[] | undefined;
  readonly #core: Pick<ClientCore, 'events' | 'settings'>;
  readonly #stored: ClientStore;
  readonly #request: CallRequest;
  #renewed = false;
  /** The request that nobody else who shares the store sends meanwhile. */
  #reserved: SpanRequest | undefined;
  /** Since when it waits for somebody else who has reserved it. */
  #waitsSince: number | undefined;
  /** A response is of use only if it was stored after this, in milliseconds since 1970. */
  #usefulSince = -Infinity;

  constructor(core: Pick<ClientCore, 'events' | 'settings'>, stored: ClientStore, request: CallRequest) {
    this.#core = core;
    this.#stored = stored;
    this.#request = request;
    this.keeps = stored.responses.records;
  }

  /** How another call uses the same store. */
  forCall(request: CallRequest): StoreUse {
    return new StoreUse(this.#core, this.#stored, request);
  }

  /** A stored response will do. */
  get looks(): boolean {
    return this.#request.renews !== true && this.#responses.store.mode !== 'record';
  }

  /** Passes on what is stored, or undefined, which is an error in a replay. */
  find(done: (found: StoredPayload | StoreError | undefined) => void): void {
    const responses = this.#responses;
    const now = this.#core.settings.clock.wall();
    responses.find(this.#request, this.#tell, (found) => {
      if (found !== undefined) return done(found);
      this.#usefulSince = responses.has(this.#request) ? now : -Infinity;
      if (this.#request.operation.spec.conditional === true) this.condition = responses.conditionOf(this.#request);
      done(responses.store.mode === 'replay' ? this.#missing() : undefined);
    });
  }

  /** A value that is too old is never sent. */
  expired(): Renewal | undefined {
    const { operation, query } = this.#request;
    const source = this.#stored.handedOut.sourceOf(operation, query);
    if (source === undefined || this.#core.settings.clock.wall() <= source.until) return undefined;
    return { source, why: `${source.param} comes from a stored page and has expired: that page is requested again` };
  }

  /** Whether the request may be sent now. Else somebody else who shares the store is sending it. */
  reserve(query: object): boolean {
    const { operation, renews } = this.#request;
    if (renews === true || this.#reserved !== undefined || this.#responses.store.mode !== 'reuse') return true;
    const now = this.#core.settings.clock.now();
    this.#waitsSince ??= now;
    if (now - this.#waitsSince > maxWaitMs) return true;
    const request = { operation, query };
    if (!this.#responses.reserve(request, this.#usefulSince)) return false;
    this.#reserved = request;
    return true;
  }

  /** The request is over. Others hear of it after this turn: a good page is stored once it is delivered. */
  release(): void {
    const reserved = this.#reserved;
    if (reserved === undefined) return;
    this.#reserved = undefined;
    queueMicrotask(() => this.#responses.release(reserved));
  }

  /** The stored response is taken. */
  hit({ data }: Payload, storedAt: number): void {
    const { operation, query } = this.#request;
    if (this.#responses.records) this.#stored.handedOut.note(operation, query, data, storedAt);
  }

  /** The service says that the stored response is still good. Passes it on, or undefined if it is gone meanwhile. */
  unchanged(done: (found: StoredPayload | undefined) => void): void {
    this.condition = undefined;
    this.#responses.renew(this.#request, this.#tell, done);
  }

  /** The page of a response is delivered. Meanwhile the walk has said whether it fits. */
  delivered(query: object, page: Page, raw: RawResponse): void {
    const { operation } = this.#request;
    const request = { operation, query };
    if (isUnreliable(page)) return isLastIfRefused(page) ? this.#responses.hold(request, raw) : undefined;
    this.#responses.keep(request, raw, this.#tell);
    this.#stored.handedOut.noteExpiring(operation, query, page.data, this.#core.settings.clock.wall());
  }

  /** No retry helps. If the service refused a value from a stored page, that page and the pages before it are requested again. */
  refused({ kind, details: { status = 0, code } = {} }: AttemptFailure, done: (renewal: Renewal | undefined) => void): void {
    if (kind === 'final' && this.#responses.keepHeld(this.#request, this.#tell)) return done(undefined);
    const isRefusal = !failureKinds[kind].passes && kind !== 'auth' && ((status >= 400 && status < 500) || code !== undefined);
    if (!isRefusal || this.#renewed) return done(undefined);
    this.#stored.sourceOf(this.#request, (source) => {
      if (source === undefined) return done(undefined);
      const pages = countOf(source.pages, 'page is', 'pages are');
      const what = `${source.param} comes from a stored page, and the service refuses it`;
      done({ source, why: `${what}: the walk starts over, and ${pages} requested again` });
    });
  }

  /** A value is renewed, once. */
  renews(why: string): void {
    this.#renewed = true;
    this.#tell(why);
  }

  #missing(): StoreError {
    const { operation, query } = this.#request;
    const what = `${this.#responses.store.folder} has no response to it, and a replay sends no request`;
    const message = `${operation.name} ${shownQuery(query)}: ${what}; store it first, with mode 'reuse'`;
    return new StoreError(message, { operation: operation.name, query });
  }

  get #responses(): StoredResponses {
    return this.#stored.responses;
  }

  readonly #tell = (message: string): void => {
    const { events, settings } = this.#core;
    const { operation, query } = this.#request;
    if (events.on) events.emit({ type: 'store', operation: operation.name, query, at: settings.clock.wall(), message });
  };
}
