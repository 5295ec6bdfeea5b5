import type { IncomingHttpHeaders } from 'node:http';
import { LruCache } from '../../../operators/kit/LruCache.ts';
import {
  canonicalQuery,
  pageHeadersOf,
  requestDigest,
  type Finding,
  type Operation,
  type ResponseStore,
  type StoreRequest,
} from '../../contract/index.ts';
import { batchHeader, batchIn } from '../batch/SharedRequest.ts';
import type { RawResponse } from '../attempt/AttemptFailure.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { decodeBody } from '../../contract/decodeBody.ts';
import type { Payload } from '../response/parseResponse.ts';
import { readBody } from '../response/readBody.ts';
import { withHeaders } from '../response/ResponsePage.ts';
import type { SpanReader, SpanRequest } from '../spans/SpanReader.ts';

/** A response from the store, read. */
export interface StoredPayload {
  readonly payload: Payload;
  /** The size of the decompressed body. */
  readonly bytes: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  /** Other queries share it: the ids of all of them. */
  readonly batch?: readonly string[] | undefined;
}

/** A response of the store, as it came. */
export type Stored = Extract<Finding, { readonly kind: 'hit' }>;

/** Receives notices, such as of damage. */
type Tell = (what: string) => void;

/** Receives what was read. undefined: nothing usable. */
type Done = (found: StoredPayload | undefined) => void;

/** The number of responses that wait for a recheck of their page. Those of walks that were stopped meanwhile get none. */
const maxHeld = 50;

/** The responses of a store, as one client reads and writes them. A page from it takes no slot, no pace and no budget. */
export class StoredResponses {
  readonly store: ResponseStore;
  /** Responses from before this time are requested again; milliseconds since 1970. */
  since = -Infinity;
  /** Whether calls read the store. They don't once the client is closed. */
  open = true;
  readonly #settings: Settings;
  readonly #spans: SpanReader;
  /** The name of the service in keys. */
  readonly #service: string;
  /** Where responses are to come from. '': from anywhere, because a replay sends no request. */
  readonly #origin: string;
  /** The requests on their way, and who waits for each to look into the store again. */
  readonly #sending = new Map<string, Set<() => void>>();
  /** Responses that are stored if the service refuses to send them a second time. */
  readonly #held = new LruCache<string, RawResponse>(maxHeld);

  constructor(store: ResponseStore, settings: Settings, spans: SpanReader) {
    this.store = store;
    this.#settings = settings;
    this.#spans = spans;
    this.#service = encodeURIComponent(settings.service.name);
    this.#origin = store.mode === 'replay' ? '' : settings.address.origin;
  }

  /** Whether it stores responses. */
  get records(): boolean {
    return this.store.mode !== 'replay' && this.store.failure === undefined;
  }

  /** What is stored for a query, and isn't too old. */
  look(key: StoreRequest, tell: Tell): Stored | undefined {
    const found = this.store.find(key);
    if (found.damage !== undefined) tell(found.damage);
    this.#passNotices(tell);
    return found.kind === 'miss' || found.at < this.since ? undefined : found;
  }

  /** Passes on what was found, synchronously unless it is large. undefined if it isn't usable. */
  read(request: SpanRequest, found: Stored, tell: Tell, done: Done): void {
    const { operation } = request;
    const { status, headers, body } = found.response;
    const batch = batchIn(headers[batchHeader]);
    const { maxBodyBytes, service, policy, clock } = this.#settings;
    decodeBody(body, headers, maxBodyBytes, (fault, decoded) => {
      const judge = policy.judge?.(status, headers as IncomingHttpHeaders, clock.wall(), operation.spec);
      const read = (): ReturnType<typeof readBody> =>
        (batch === undefined ? this.#spans.read(decoded, request, judge) : undefined) ?? readBody(decoded, service, request, judge);
      const payload = fault === undefined ? read() : undefined;
      if (payload?.kind === 'payload' && payload.good && (status === 200 || payload.verdict !== undefined)) {
        const pageHeaders = pageHeadersOf(operation.spec);
        const whole = pageHeaders === undefined ? payload : withHeaders(pageHeaders, payload, headers, found.url);
        return done({ payload: whole, bytes: decoded.length, at: found.at, batch });
      }
      tell(`${this.store.folder}: the stored response is no good response as the service is described now`);
      done(undefined);
    });
  }

  /** Stores a good response. `tell` gets one notice if nothing more can be stored. */
  keep(key: StoreRequest, response: RawResponse, tell: Tell): void {
    const before = this.store.failure;
    if (this.#held.size > 0) this.#held.drop(textOf(key));
    this.store.keep({ ...key, url: response.url }, response);
    const { failure } = this.store;
    if (failure !== undefined && before === undefined) tell(failure.message);
    this.#passNotices(tell);
  }

  /** Says that a request is sent now. If an equal one is on its way, `again` is called when that is over: returns how to wait no longer. */
  send(key: StoreRequest, again: () => void): (() => void) | undefined {
    const text = textOf(key);
    const waiting = this.#sending.get(text);
    waiting?.add(again);
    if (waiting === undefined) this.#sending.set(text, new Set());
    return waiting && (() => void waiting.delete(again));
  }

  /** A request is over. */
  sent(key: StoreRequest): void {
    const text = textOf(key);
    const waiting = this.#sending.get(text)!;
    this.#sending.delete(text);
    for (const again of waiting) again();
  }

  /** Holds a response until it is requested a second time. */
  hold(key: StoreRequest, response: RawResponse): void {
    this.#held.put(textOf(key), response);
  }

  /** The service refuses to send a response a second time: stores the one that is held. false: none is. */
  keepHeld(key: StoreRequest, tell: Tell): boolean {
    const response = this.#held.peek(textOf(key));
    if (response !== undefined) this.keep(key, response, tell);
    return response !== undefined;
  }

  #passNotices(tell: Tell): void {
    for (const notice of this.store.takeNotices?.() ?? []) tell(notice);
  }

  /** What a store knows a response by, with the origin that it is wanted from. */
  keyOf(operation: Operation, query: object): StoreRequest {
    const digest = requestDigest(operation);
    const text = canonicalQuery(operation, query);
    return { service: this.#service, operation: operation.name, query: digest === '' ? text : `${text}#${digest}`, url: this.#origin };
  }
}

function textOf({ operation, query }: StoreRequest): string {
  return `${operation} ${query}`;
}
