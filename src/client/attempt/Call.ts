import { Observable, Subscription, type Subscriber } from 'rxjs';
import { AsyncResource } from 'node:async_hooks';
import type { ClientEvent } from '../ClientEvent.ts';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { isEmitting, withDemand } from '../../../operators/demand/demandScope.ts';
import { leadsTo } from '../../../operators/kit/leadsTo.ts';
import { partOf } from '../../../operators/named.ts';
import { isDoubted } from '../../../operators/walk/doubt.ts';
import type { Operation, StoredResponse } from '../../contract/index.ts';
import { StoreError, type TrawlerError } from '../../errors/index.ts';
import { authRefusal } from '../admission/authRefusal.ts';
import type { CallState } from '../admission/Explanation.ts';
import type { Refusal } from '../admission/Task.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Page } from '../Page.ts';
import { renewQuery, type Source } from '../store/HandedOut.ts';
import type { StoredPayload, StoreLane, StoreTask } from '../store/StoreLane.ts';
import type { AttemptOwner, RunningAttempt } from './RunningAttempt.ts';
import { failureError, shownQuery, type AttemptFailure } from './AttemptFailure.ts';
import { nextTry } from './nextTry.ts';
import type { FailureKind } from './retryRules.ts';
import { tellPace } from './tellPace.ts';

/** The purpose of a call. */
export interface CallRequest {
  readonly operation: Operation;
  readonly query: object;
  /** Another list of the response as rows. */
  readonly rows: string | undefined;
  /** Rows may stay unparsed. */
  readonly lazy?: boolean | undefined;
  /** Its label, such as the stage of a flow. */
  readonly label: string | undefined;
  /** The query with that label that it belongs to. */
  readonly walk?: number | undefined;
  /** Requests it again: the stored response is ignored, and the new one is stored. */
  readonly anew?: true | undefined;
  /** The node where the call was made. */
  readonly node: DemandNode | undefined;
  readonly subscriber: Subscriber<Page>;
}

/**
 * Gets one page for a subscriber: reads the store, if there is one, waits for admission, sends, and retries where that
 * helps. It takes a place in flight only while its request is in flight, not while it waits for its next attempt.
 */
export class Call implements StoreTask, AttemptOwner {
  readonly node: DemandNode | undefined;
  readonly depth: number;
  place = -1;
  order = 0;
  index = -1;
  parked: DemandNode | undefined = undefined;
  letGo: true | undefined = undefined;

  readonly #core: ClientCore;
  readonly #request: CallRequest;
  readonly #id: number;
  /** The async context where the call was made, for `AsyncLocalStorage`: its effects run there. */
  readonly #born = new AsyncResource('trawler call');
  /** Requests sent. */
  #sent = 0;
  #failures = 0;
  readonly #failuresOf: { [kind in FailureKind]?: number } = {};
  #lastFailure: AttemptFailure | undefined;
  #resent = false;
  #firstAt = 0;
  /** Requests in flight when the last one was sent, including it. */
  #inFlight = 0;
  /** It gave up its place in flight before its page was read. */
  #released = false;
  #attempt: RunningAttempt | undefined;
  #cancelWait: (() => void) | undefined;
  readonly #part: string | undefined;
  /** When it was made, was sent, or last failed before a retry. */
  #since = 0;
  /** It waits to read the store. */
  #inLane = false;
  #lane: StoreLane | undefined;
  /** The query to send: as given, or with a renewed value. */
  #query: object;
  /** A value of the query is being, or was, renewed. */
  #renewal: Subscription | undefined;
  /** It was made while a value was being emitted. */
  readonly #late = isEmitting();
  #over = false;

  constructor(core: ClientCore, request: CallRequest) {
    this.#core = core;
    this.#request = request;
    this.#query = request.query;
    this.#id = ++core.counts.calls;
    this.node = request.node;
    this.depth = request.node?.depth ?? -1;
    this.#part = partOf(request.node);
  }

  get inFlight(): boolean {
    return this.#attempt !== undefined;
  }

  start(): void {
    const { calls, stored, admission } = this.#core;
    calls.add(this);
    this.#since = this.#core.settings.clock.now();
    this.node?.addActive(1);
    if (stored?.open !== true) return admission.enqueue(this, false);
    this.#lane = stored;
    if (this.#request.anew === true) return admission.enqueue(this, false);
    this.#inLane = true;
    stored.enqueue(this);
  }

  lookUp(): void {
    this.#inLane = false;
    this.#lane!.find(this.#request, this.#tell, (found) => {
      if (this.#over) return;
      if (found !== undefined) this.#cameStored(found);
      else if (this.#lane!.store.mode === 'replay') this.#fail(this.#missing(), undefined);
      else this.#seek();
    });
  }

  /** Sends a request for a query that isn't stored. A value that is too old is never sent. */
  #seek(): void {
    const { operation, query } = this.#request;
    const source = this.#lane!.handedOut.sourceOf(operation, query);
    if (source === undefined || this.#core.settings.clock.wall() <= source.until) return this.#core.admission.enqueue(this, false);
    this.#renew(source, `${source.param} comes from a stored page and is too old by now: that page is requested anew`);
  }

  /** The service rejected a value from a stored page. Once per call, that page and the pages before it are requested again. */
  #renewsAfter(failure: AttemptFailure): boolean {
    const { operation, query } = this.#request;
    const { status, code } = failure.details ?? {};
    const refused = (status !== undefined && status >= 400 && status < 500) || code !== undefined;
    const source =
      refused && failure.kind !== 'auth' && this.#renewal === undefined ? this.#lane?.handedOut.sourceOf(operation, query) : undefined;
    if (source === undefined) return false;
    const pages = source.pages === 1 ? '1 page is' : `${source.pages} pages are`;
    this.#renew(
      source,
      `${source.param} comes from a stored page, and the service refuses it: the walk begins anew, and ${pages} requested again`,
    );
    return true;
  }

  #renew(source: Source, message: string): void {
    this.#tell(message);
    const request = (operation: Operation, query: object): Observable<Page> =>
      new Observable((subscriber) => {
        const call = new Call(this.#core, {
          operation,
          query,
          rows: undefined,
          label: this.#request.label,
          anew: true,
          node: this.node,
          subscriber,
        });
        subscriber.add(() => call.cancel());
        call.start();
      });
    this.#leave(() => {
      this.#renewal = new Subscription();
      const renewed = renewQuery(source, this.#request.query, request).subscribe({
        next: (query) => {
          this.#query = query;
          this.#core.admission.enqueue(this, true);
        },
        error: (error: TrawlerError) => this.#fail(error, undefined),
      });
      this.#renewal.add(renewed);
    });
  }

  /** Ends the call silently: there is no subscriber any more. */
  cancel(): void {
    if (this.#over) return;
    this.#end(undefined);
    this.#withdraw();
    this.#attempt?.abort();
    this.#leave(() => {});
  }

  admit(): void {
    const { events, health } = this.#core;
    const { operation, rows, lazy, label } = this.#request;
    this.#sent++;
    this.#inFlight = this.#core.admission.inFlight;
    const attempt = this.#core.attempt(this, { operation, query: this.#query, rows, lazy, label, number: this.#sent });
    this.#attempt = attempt;
    this.#since = attempt.startedAt;
    if (this.#sent === 1) {
      this.#firstAt = attempt.startedAt;
      health.began(operation.name);
    }
    if (events.on) events.emit(this.#base('request'));
    if (this.#over) return; // a listener may have ended the call
    attempt.send();
  }

  explain(now: number, queued: string): CallState {
    const state = this.#attempt === undefined ? 'waits' : 'in flight';
    const waitsFor = (): string => {
      if (this.parked !== undefined) return this.parked.name ?? 'a place without a name';
      if (this.#inLane) return 'the store';
      return this.index === -1 ? 'its next attempt' : queued;
    };
    const { name } = this.#request.operation;
    return { operation: name, path: this.node?.path ?? [], state, for: state === 'waits' ? waitsFor() : undefined, ms: now - this.#since };
  }

  leadsTo(holder: DemandNode): boolean {
    return leadsTo(this.#request.subscriber, this.#late, holder);
  }

  stalled(holder: DemandNode): void {
    const { events, settings } = this.#core;
    if (!events.on) return;
    const { operation, query } = this.#request;
    const path = this.node?.path ?? [];
    events.emit({
      type: 'stalled',
      operation: operation.name,
      query,
      at: settings.clock.wall(),
      path,
      holder: holder.name ?? 'a place without a name',
    });
  }

  refuse(refusal: Refusal): void {
    if (this.#over) return;
    this.#withdraw();
    this.#attempt?.abort();
    const { operation, query } = this.#request;
    const cause = this.#lastFailure === undefined ? undefined : this.#errorOf(this.#lastFailure, '');
    this.#fail(refusal({ operation: operation.name, query, attempts: this.#sent, cause }), undefined);
  }

  arrived(): void {
    this.#released = this.#core.admission.releaseEarly(this.depth);
  }

  came(response: Payload, bytes: number, raw?: StoredResponse): void {
    const { settings, reader, events, quota, signs, counts } = this.#core;
    const { operation, query, rows, subscriber } = this.#request;
    const { startedAt } = this.#attempt!;
    const now = settings.clock.now();
    settings.pace.succeeded(now, { startedAt, inFlight: this.#inFlight });
    quota.giveBack();
    signs.succeeded();
    const page = reader.read(operation, query, rows, response, this.#sent);
    if (page instanceof Error) return this.#fail(page, false);
    counts.responses++;
    this.#end(this.#sent === 1);
    if (events.on) {
      const { requestId, items } = page;
      events.emit({ ...this.#base('response'), status: 200, ms: now - startedAt, bytes, items: items.length, requestId });
    }
    this.#leave(() => {
      subscriber.next(page);
      subscriber.complete();
    });
    // A walk reports while the page is delivered whether it fits.
    if (raw !== undefined && !isDoubted(page)) this.#lane?.keep(operation, this.#query, raw, this.#tell);
  }

  #cameStored({ payload, bytes, at: storedAt }: StoredPayload): void {
    const { reader, events, counts } = this.#core;
    const { operation, query, rows, subscriber } = this.#request;
    const page = reader.read(operation, query, rows, payload, 0);
    if (page instanceof Error) return this.#fail(page, undefined);
    counts.hits++;
    if (this.#lane!.records) this.#lane!.handedOut.note(operation, query, payload.data, storedAt);
    this.#end(undefined);
    if (events.on) {
      const { attempt: _, ...base } = this.#base('hit');
      events.emit({ ...base, storedAt, bytes, items: page.items.length, requestId: page.requestId });
    }
    this.#leave(() => {
      subscriber.next(page);
      subscriber.complete();
    });
  }

  failed(failure: AttemptFailure): void {
    tellPace(this.#core, failure, { startedAt: this.#attempt!.startedAt, inFlight: this.#inFlight }, this.#base('throttle'));
    if (this.#over) return;
    if (failure.stale === true && !this.#resent) {
      this.#resent = true;
      return this.#tryAgain(failure, 0);
    }
    this.#failures++;
    const ofThisKind = (this.#failuresOf[failure.kind] ?? 0) + 1;
    this.#failuresOf[failure.kind] = ofThisKind;
    const elapsedMs = this.#core.settings.clock.now() - this.#firstAt;
    if (this.#waitsForLongPause(failure)) return this.#tryAgain(failure, 0);
    const next = nextTry(failure, { failures: this.#failures, ofThisKind, elapsedMs }, this.#core);
    if ('delayMs' in next) return this.#tryAgain(failure, next.delayMs);
    if (this.#renewsAfter(failure)) return;
    const { pausedUntil } = next;
    const told: AttemptFailure = pausedUntil === undefined ? failure : { ...failure, details: { ...failure.details, pausedUntil } };
    this.#core.admission.quietly(() => {
      this.#fail(this.#errorOf(told, next.note), false);
      if (failure.kind === 'auth') this.#core.stop(authRefusal(failure.details?.status, failure.details?.code));
    });
  }

  /** The service required a pause longer than the limit, and another call failed with that. This one waits. */
  #waitsForLongPause(failure: AttemptFailure): boolean {
    const { admission, settings } = this.#core;
    const { maxRetryAfterMs } = settings;
    return (failure.details?.retryAfterMs ?? 0) > maxRetryAfterMs && admission.pausedMs > maxRetryAfterMs;
  }

  #tryAgain(failure: AttemptFailure, delayMs: number): void {
    const { admission, events, settings, counts } = this.#core;
    this.#lastFailure = failure;
    this.#since = settings.clock.now();
    counts.retries++;
    if (events.on) {
      const waitMs = Math.max(delayMs, admission.pausedMs);
      events.emit({ ...this.#base('retry'), delayMs: waitMs, error: this.#errorOf(failure, '') });
    }
    if (this.#over) return;
    const again = (): void => admission.enqueue(this, true);
    this.#leave(() => {
      if (delayMs === 0) again();
      else this.#cancelWait = settings.clock.after(delayMs, again);
    });
  }

  #fail(error: TrawlerError, good: boolean | undefined): void {
    const { events, counts } = this.#core;
    counts.failures++;
    this.#end(good);
    if (events.on) events.emit({ ...this.#base('failure'), error });
    this.#leave(() => this.#request.subscriber.error(error));
  }

  /** Ends the call. `good` is passed to `HealthBoard.ended`. */
  #end(good: boolean | undefined): void {
    this.#over = true;
    this.#cancelWait?.();
    this.#renewal?.unsubscribe();
    this.#core.calls.delete(this);
    this.node?.addActive(-1);
    if (this.#sent > 0) this.#core.health.ended(this.#request.operation.name, good);
  }

  #withdraw(): void {
    if (this.#inLane) this.#lane!.withdraw(this);
    else this.#core.admission.withdraw(this);
    this.#inLane = false;
  }

  readonly #tell = (message: string): void => {
    const { events, settings } = this.#core;
    const { operation, query } = this.#request;
    if (events.on) events.emit({ type: 'store', operation: operation.name, query, at: settings.clock.wall(), message });
  };

  #missing(): StoreError {
    const { operation, query } = this.#request;
    const what = `${this.#lane!.store.folder} has no response to it, and a replay sends no request`;
    const message = `${operation.name} ${shownQuery(query)}: ${what}; store it first, with mode 'reuse'`;
    return new StoreError(message, { operation: operation.name, query });
  }

  /** Gives up the place in flight, if it has one. Work started by `then` belongs to the node where this call was made. */
  #leave(then: () => void): void {
    const { admission } = this.#core;
    const work = (): void => this.#born.runInAsyncScope(() => withDemand(this.node, then, true));
    const holdsPlace = this.#attempt !== undefined && !this.#released;
    this.#attempt = undefined;
    this.#released = false;
    if (holdsPlace) admission.release(work);
    else admission.quietly(work);
  }

  #errorOf(failure: AttemptFailure, note: string): TrawlerError {
    const { operation, query } = this.#request;
    const call = { operation: operation.name, query, attempts: this.#sent };
    return failureError(failure, note, call, (text) => this.#core.transport.redact(text));
  }

  /** What all events of a call have. There are two for every page. */
  #base<Type extends ClientEvent['type']>(type: Type): Omit<Extract<ClientEvent, { type: 'request' }>, 'type'> & { readonly type: Type } {
    const { query, label, walk } = this.#request;
    const operation = this.#request.operation.name;
    const at = this.#core.settings.clock.wall();
    const [id, attempt, part] = [this.#id, this.#sent, this.#part];
    if (label !== undefined) return { type, operation, query, at, id, attempt, part, label, walk };
    if (part !== undefined) return { type, operation, query, at, id, attempt, part };
    return { type, operation, query, at, id, attempt };
  }
}
