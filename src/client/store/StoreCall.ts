import { Observable, type Subscription } from 'rxjs';
import { isUnreliable, isLastIfRefused } from '../../../operators/walk/RecheckPolicy.ts';
import type { Operation } from '../../contract/index.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import { StoreError, type TrawlerError } from '../../errors/index.ts';
import { Call } from '../attempt/Call.ts';
import type { CallRequest } from '../attempt/PageCall.ts';
import { shownQuery, type AttemptFailure, type RawResponse } from '../attempt/AttemptFailure.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Page } from '../Client.ts';
import type { ClientStore } from './ClientStore.ts';
import { type Source, renewQuery } from './HandedOut.ts';
import type { StoredPayload, StoredResponses } from './StoredResponses.ts';
import type { StoreTask } from './StoreQueue.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';

/**
 * A call of a client with a store. It looks in the store first, and stores each page that it requests. If a value came from
 * a stored page and is no longer valid, it is renewed once. `renews`: ignore and replace the stored response.
 */
export class StoreCall extends Call implements StoreTask {
  readonly #stored: ClientStore;
  /** It is waiting to read the store. */
  #inQueue = false;
  readonly #reservation: StoreReservation;
  /** A value of the query is being, or was, renewed. */
  #renewal: Subscription | undefined;

  constructor(core: ClientCore, stored: ClientStore, request: CallRequest) {
    super(core, request);
    this.#stored = stored;
    this.#reservation = new StoreReservation(stored.responses);
    this.keep = stored.responses.records;
  }

  get #responses(): StoredResponses {
    return this.#stored.responses;
  }

  get inStore(): boolean {
    return this.#inQueue;
  }

  override start(): void {
    if (this.request.renews === true || this.#responses.store.mode === 'record') return super.start();
    this.begin();
    this.#inQueue = true;
    this.#stored.queue.add(this);
  }

  lookUp(): void {
    this.#inQueue = false;
    const now = this.core.settings.clock.wall();
    this.#responses.find(this.request, this.#tell, (found) => {
      if (this.over) return;
      if (found !== undefined) return this.#cameStored(found);
      this.#reservation.since = this.#responses.has(this.request) ? now : -Infinity;
      if (this.request.operation.spec.conditional === true) this.condition = this.#responses.conditionOf(this.request);
      if (this.#responses.store.mode === 'replay') this.fail(this.#missing(), undefined);
      else this.#seek();
    });
  }

  /** Sends the request, unless somebody else who shares the store is sending it. */
  override admit(): void {
    const { admission, settings } = this.core;
    const { operation } = this.request;
    const isFree = this.request.renews === true || this.#reservation.take({ operation, query: this.query }, settings.clock.now());
    if (isFree && !this.over) return super.admit();
    admission.drop(this, false);
    if (this.over) return this.#reservation.release(); // it was cancelled while the reservation was written
    this.#inQueue = true;
    this.#stored.queue.addLater(this);
  }

  /** A query that shares its request says before that it is sent. */
  protected override queue(): void {
    const { batches, settings } = this.core;
    const { operation } = this.request;
    const isReserved = (): boolean => this.#reservation.take({ operation, query: this.query }, settings.clock.now());
    if (this.request.renews === true || !batches.takes(operation) || isReserved()) return super.queue();
    this.#inQueue = true;
    this.#stored.queue.addLater(this);
  }

  protected override leave(then: () => void): void {
    this.#reservation.release();
    super.leave(then);
  }

  protected override waitsFor(queued: string): string {
    return this.#inQueue ? 'the store' : super.waitsFor(queued);
  }

  protected override withdraw(): void {
    if (this.#inQueue) this.#stored.queue.remove(this);
    else super.withdraw();
    this.#inQueue = false;
    this.#reservation.release();
  }

  protected override end(good: boolean | undefined): void {
    this.#renewal?.unsubscribe();
    super.end(good);
  }

  /** While a page is delivered, the walk says whether it fits. */
  override delivered(page: Page, raw: RawResponse): void {
    const { operation } = this.request;
    const request = { operation, query: this.query };
    if (isUnreliable(page)) return isLastIfRefused(page) ? this.#responses.hold(request, raw) : undefined;
    this.#responses.keep(request, raw, this.#tell);
    this.#stored.handedOut.noteExpiring(operation, this.query, page.data, this.core.settings.clock.wall());
  }

  /** The service refused a value from a stored page. That page and the pages before it are requested again, once per call. */
  protected override giveUp(failure: AttemptFailure, note: string): void {
    const { kind, details: { status = 0, code } = {} } = failure;
    if (kind === 'unchanged') return this.#cameUnchanged();
    if (kind === 'final' && this.#responses.keepHeld(this.request, this.#tell)) return super.giveUp(failure, note);
    const refused = !failureKinds[kind].passes && kind !== 'auth' && ((status >= 400 && status < 500) || code !== undefined);
    if (!refused || this.#renewal !== undefined) return super.giveUp(failure, note);
    this.#stored.sourceOf(this.request, (source) => {
      if (this.over) return;
      if (source === undefined) return super.giveUp(failure, note);
      const pages = source.pages === 1 ? '1 page is' : `${source.pages} pages are`;
      this.#renew(
        source,
        `${source.param} comes from a stored page, and the service refuses it: the walk starts over, and ${pages} requested again`,
      );
    });
  }

  /** Sends a request for a query that isn't stored. A value that is too old is never sent. */
  #seek(): void {
    const { operation, query } = this.request;
    const source = this.#stored.handedOut.sourceOf(operation, query);
    if (source === undefined || this.core.settings.clock.wall() <= source.until) return this.queue();
    this.#renew(source, `${source.param} comes from a stored page and has expired: that page is requested again`);
  }

  #renew(source: Source, message: string): void {
    this.#tell(message);
    const { label } = this.request;
    const request = (operation: Operation, query: object): Observable<Page> =>
      new Observable((subscriber) => {
        const { node } = this;
        const call = new StoreCall(this.core, this.#stored, { operation, query, rows: undefined, label, renews: true, node, subscriber });
        subscriber.add(() => call.cancel());
        call.start();
      });
    this.leave(() => {
      this.#renewal = renewQuery(source, this.request.query, request).subscribe({
        next: (query) => {
          this.query = query;
          this.core.admission.enqueue(this, true);
        },
        error: (error: TrawlerError) => this.fail(error, undefined),
      });
    });
  }

  #cameStored({ payload, bytes, at: storedAt, batch }: StoredPayload): void {
    const { reader, events, counts } = this.core;
    const { operation, query, rows } = this.request;
    const whole = reader.read(operation, query, rows, payload, 0);
    if (whole instanceof Error) return this.fail(whole, undefined);
    const page = batch === undefined ? whole : this.core.batches.partOf(operation, query, whole, batch);
    counts.hits++;
    if (this.#responses.records) this.#stored.handedOut.note(operation, query, payload.data, storedAt);
    this.end(undefined);
    if (events.on) {
      const { attempt: _, ...base } = this.base('hit');
      events.emit(Object.assign(base, { storedAt, bytes, items: page.items.length, requestId: page.requestId }));
    }
    this.succeed(page);
  }

  /** The stored response is still good. If it is gone meanwhile, the page is requested again. */
  #cameUnchanged(): void {
    const { events, counts, settings, reader } = this.core;
    const { operation, query, rows } = this.request;
    this.condition = undefined;
    this.#responses.renew(this.request, this.#tell, (found) => {
      if (this.over) return;
      if (found === undefined) return this.leave(() => this.queue());
      const page = reader.read(operation, query, rows, found.payload, this.sent);
      if (page instanceof Error) return this.fail(page, false);
      counts.responses++;
      counts.notModified++;
      this.end(this.sent === 1);
      if (events.on) {
        const [ms, { requestId, items }] = [settings.clock.now() - this.since, page];
        events.emit(Object.assign(this.base('response'), { status: 304, ms, bytes: 0, items: items.length, requestId }));
      }
      this.succeed(page);
    });
  }

  readonly #tell = (message: string): void => {
    const { events, settings } = this.core;
    const { operation, query } = this.request;
    if (events.on) events.emit({ type: 'store', operation: operation.name, query, at: settings.clock.wall(), message });
  };

  #missing(): StoreError {
    const { operation, query } = this.request;
    const what = `${this.#responses.store.folder} has no response to it, and a replay sends no request`;
    const message = `${operation.name} ${shownQuery(query)}: ${what}; store it first, with mode 'reuse'`;
    return new StoreError(message, { operation: operation.name, query });
  }
}

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
