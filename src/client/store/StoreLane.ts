import { type ResponseStore, type StoreRequest, canonicalQuery, pagingKindOf, type Operation } from '../../contract/index.ts';
import type { RawResponse } from '../attempt/RunningAttempt.ts';
import { holderOf, type Task } from '../admission/Task.ts';
import { ParkedTasks } from '../admission/ParkedTasks.ts';
import { TaskHeap } from '../admission/TaskHeap.ts';
import { decodeBody } from '../response/decodeBody.ts';
import { parseResponse, type Payload, type Unreadable } from '../response/parseResponse.ts';
import { withNext } from '../response/withNext.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { SpanReader, SpanRequest } from '../spans/SpanReader.ts';
import { HandedOut, type Source } from './HandedOut.ts';

/** A call that reads the store before it sends a request. */
export interface StoreTask extends Task {
  /** Called when its turn has come. */
  lookUp(): void;
}

/** A response from the store, read. */
export interface StoredPayload {
  readonly payload: Payload;
  /** The size of the decompressed body. */
  readonly bytes: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

/** Calls that wait for somebody else's request look into the store again after this time. */
const lookMs = 25;
/** Yield to the event loop after this time. */
const sliceMs = 5;
const longestWalk = 1000;
const nothing = (): void => {};

/**
 * Lets calls read the store before they queue for a request. As in the admission, the call nearest to the sink goes first,
 * and none whose path to the sink holds. A hit takes no slot, no pace and no budget.
 */
export class StoreLane {
  readonly store: ResponseStore;
  readonly handedOut: HandedOut;
  readonly #settings: Settings;
  readonly #spans: SpanReader;
  /** The name of the service in keys. */
  readonly #service: string;
  readonly #heap = new TaskHeap<StoreTask>();
  readonly #parked = new ParkedTasks<StoreTask>((tasks) => {
    for (const task of tasks) this.#heap.push(task);
    this.#schedule();
  });
  /** Where responses are to come from. '': from anywhere, because a replay sends no request. */
  readonly #origin: string;
  /** Calls whose request somebody else is sending. */
  readonly #waiting = new Set<StoreTask>();
  #cancelLook: (() => void) | undefined;
  #sequence = 0;
  #scheduled = false;
  /** Responses from before this time are requested again; milliseconds since 1970. */
  since = -Infinity;
  /** Whether calls read the store. They don't once the client is closed. */
  open = true;

  constructor(store: ResponseStore, settings: Settings, spans: SpanReader) {
    this.store = store;
    this.#settings = settings;
    this.#spans = spans;
    this.#service = encodeURIComponent(settings.service.name);
    this.#origin = store.mode === 'replay' ? '' : settings.address.origin;
    this.handedOut = new HandedOut(settings.service);
  }

  /** Whether it stores responses. */
  get records(): boolean {
    return this.store.mode !== 'replay' && this.store.fault === undefined;
  }

  get waiting(): number {
    return this.#heap.size + this.#parked.size + this.#waiting.size;
  }

  enqueue(task: StoreTask): void {
    task.order = this.#sequence++;
    this.#heap.push(task);
    this.#schedule();
  }

  /** Cancels a waiting task. */
  withdraw(task: StoreTask): void {
    this.#heap.remove(task);
    this.#parked.remove(task);
    this.#waiting.delete(task);
    if (this.#waiting.size === 0) this.#cancelLook?.();
  }

  /** Whether a response is stored, of use or not. */
  has({ operation, query }: SpanRequest): boolean {
    return this.store.has(this.#requestOf(operation, query, this.#origin));
  }

  /** Says that a request is about to be sent. false: somebody else who shares the store is sending it, or has stored its response. */
  claim({ operation, query }: SpanRequest, since: number): boolean {
    return this.store.claim?.(this.#requestOf(operation, query, this.#origin), since) !== false;
  }

  /** A claimed request is over. */
  release({ operation, query }: SpanRequest): void {
    this.store.release?.(this.#requestOf(operation, query, this.#origin));
  }

  /** The task looks into the store again in a moment. */
  wait(task: StoreTask): void {
    this.#waiting.add(task);
    if (this.#waiting.size > 1) return;
    this.#cancelLook = this.#settings.clock.after(lookMs, () => {
      for (const waiting of this.#waiting) this.#heap.push(waiting);
      this.#waiting.clear();
      this.#schedule();
    });
  }

  /**
   * Passes on what is stored for a query, synchronously unless it is large. undefined if nothing usable is stored. `tell`
   * gets notices of damage.
   */
  find(request: SpanRequest, tell: (what: string) => void, done: (found: StoredPayload | undefined) => void): void {
    const { operation, query } = request;
    const found = this.store.find(this.#requestOf(operation, query, this.#origin));
    if (found.damage !== undefined) tell(found.damage);
    for (const notice of this.store.takeNotices?.() ?? []) tell(notice);
    if (found.kind === 'miss' || found.at < this.since) return done(undefined);
    const { headers, body } = found.response;
    const encoding = headers['content-encoding'];
    decodeBody(body, typeof encoding === 'string' ? encoding.toLowerCase() : '', this.#settings.maxBodyBytes, (fault, decoded) => {
      const payload = fault === undefined ? this.#read(decoded, request) : undefined;
      if (payload?.kind === 'payload' && payload.good) {
        return done({ payload: withNext(operation, payload, headers['link'], found.url), bytes: decoded.length, at: found.at });
      }
      tell(`${this.store.folder}: the stored response is no good response as the service is described now`);
      done(undefined);
    });
  }

  /** Where a value of a query came from: a page read earlier, or, after a restart, the stored pages of its walk. */
  sourceOf({ operation, query }: SpanRequest, done: (source: Source | undefined) => void): void {
    const known = this.handedOut.sourceOf(operation, query);
    const { paging } = operation.spec;
    const kind = pagingKindOf(paging);
    const [param = ''] = kind.params(paging);
    if (known !== undefined || kind.tokenAt(paging).length === 0) return done(known);
    const { [param]: _, ...first } = query as { readonly [param: string]: unknown };
    const read = (page: object, left: number): void => {
      this.find({ operation, query: page }, nothing, (found) => {
        if (found === undefined || left === 0) return done(undefined);
        const token = this.handedOut.note(operation, page, found.payload.data, found.at);
        const source = this.handedOut.sourceOf(operation, query);
        if (source !== undefined || token === undefined) return done(source);
        setImmediate(() => read({ ...first, [param]: token }, left - 1));
      });
    };
    read(first, longestWalk);
  }

  /**
   * Notes again what a page handed out, if `query` needs that: a flow that resumes knows which page led to a query, not
   * what was in it.
   */
  recall(query: SpanRequest, page: SpanRequest): void {
    const { handedOut } = this;
    if (!this.records || !handedOut.takesExpiring(query.operation)) return;
    if (handedOut.sourceOf(query.operation, query.query) !== undefined) return;
    this.find(page, nothing, (found) => {
      if (found !== undefined) handedOut.noteExpiring(page.operation, page.query, found.payload.data, found.at);
    });
  }

  /** Stores a good response. `tell` gets one notice if nothing more can be stored. */
  keep(operation: Operation, query: object, response: RawResponse, tell: (what: string) => void): void {
    const before = this.store.fault;
    this.store.keep(this.#requestOf(operation, query, response.url), response);
    const { fault } = this.store;
    if (fault !== undefined && before === undefined) tell(fault.message);
    for (const notice of this.store.takeNotices?.() ?? []) tell(notice);
  }

  #read(body: Buffer, request: SpanRequest): Payload | Unreadable {
    return this.#spans.read(body, request) ?? parseResponse(body, this.#settings.service.envelope, request.operation.spec.list === '');
  }

  #requestOf(operation: Operation, query: object, url: string): StoreRequest {
    return { service: this.#service, operation: operation.name, query: canonicalQuery(operation, query), url };
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#work();
    });
  }

  #work(): void {
    const until = performance.now() + sliceMs;
    for (let task = this.#heap.peek(); task !== undefined; task = this.#heap.peek()) {
      this.#heap.remove(task);
      const holder = holderOf(task);
      if (holder !== undefined) {
        this.#parked.add(task, holder);
        continue;
      }
      task.lookUp();
      if (performance.now() >= until) return this.#schedule();
    }
  }
}
