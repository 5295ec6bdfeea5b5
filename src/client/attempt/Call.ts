import { AsyncResource } from 'node:async_hooks';
import { Subscription } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import { partOf } from '../../../operators/named.ts';
import { withVariables } from '../../contract/index.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { TrawlerError } from '../../errors/index.ts';
import { authRefusal, quotaRefusal } from '../admission/Admission.ts';
import type { LimitGroup } from '../admission/LimitGroups.ts';
import type { Explained, Refusal, Task } from '../admission/Task.ts';
import type { BatchMember, JoinedQueries } from '../batch/SharedRequest.ts';
import type { Page } from '../Client.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { ClientEvent } from '../events/clientEvents.ts';
import type { RateLimitReport, SentRequest } from '../rate/Pace.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import { renewQuery } from '../store/renewWalk.ts';
import type { CallStore } from '../store/CallStore.ts';
import type { StoredPayload } from '../store/StoredResponses.ts';
import { afterFailure, freeRetry, isExhausted, outageRefusal, tellPace, type FailedBefore, type NextTry } from './afterFailure.ts';
import { failureError, type AttemptFailure, type AttemptOwner, type RawResponse } from './AttemptFailure.ts';
import type { CallRequest } from './CallRequest.ts';
import { lookup, made, nextStates, over, queued, type CallState, type InFlight } from './callStates.ts';
import { makeAttempt } from './Attempt.ts';
import { JobWait } from './JobWait.ts';

/** The fields that the events of a call have in common. */
type EventBase = Omit<Extract<ClientEvent, { type: 'request' }>, 'type'>;

/**
 * One page for one subscriber: it looks in the store, waits for admission, sends, and retries where that helps. It takes a slot
 * only while its request is in flight. `nextStates` has what may follow on what.
 */
export class Call implements Task, AttemptOwner, BatchMember {
  readonly limitGroup: LimitGroup;
  readonly node: DemandNode | undefined;
  readonly depth: number;
  inStore = false;
  order = 0;
  parked: DemandNode | undefined = undefined;
  letGo: true | undefined = undefined;
  readonly request: CallRequest;
  slot = -1;
  readonly #core: ClientCore;
  /** Where it looks first, and where its response is kept. */
  readonly #store: CallStore | undefined;
  /** The queries that it is sent for, if they are several. */
  readonly #queries: JoinedQueries | undefined;
  readonly #id: number;
  /** The async context where the call was made, for `AsyncLocalStorage`: its effects run there. */
  readonly #asyncContext = new AsyncResource('trawler call');
  #state: CallState = made;
  /** The query to send. */
  #query: object;
  /** Requests sent. */
  #sent = 0;
  /** When it was made, was sent, or last failed before a retry. */
  #since = 0;
  #firstAt = 0;
  #failed: FailedBefore | undefined;
  #job: JobWait | undefined;
  #shares = false;

  constructor(core: ClientCore, request: CallRequest, store?: CallStore, queries?: JoinedQueries) {
    this.#core = core;
    this.#store = store;
    this.#queries = queries;
    this.request = request;
    this.#query = request.query;
    this.#id = ++core.counts.calls;
    this.limitGroup = request.plan.limitGroup;
    this.node = request.node;
    this.depth = request.node?.depth ?? -1;
    if (request.job !== undefined) this.#job = new JobWait(request.job);
  }

  get inFlight(): boolean {
    return this.#state.is === 'inFlight' || (this.#state.is === 'batched' && this.#state.batch.inFlight);
  }

  start(): void {
    const { calls, settings } = this.#core;
    calls.add(this);
    this.#since = settings.clock.now();
    this.node?.addActive(1);
    if (this.#store?.looks === true && this.#go(lookup)) this.#core.admission.enqueue(this, false);
    else if (this.#store === undefined && this.request.plan.batch === undefined && this.#go(queued))
      this.#core.admission.enqueue(this, false);
    else this.#queue();
  }

  /** Its turn to read the store has come. */
  lookUp(): void {
    const store = this.#store!;
    store.find((found) => {
      if (this.#state.is === 'over') return;
      if (found instanceof Error) return this.#fail(found);
      if (found !== undefined) return this.#cameStored(found);
      this.#queue();
    });
  }

  /** Sends the request, unless an equal one is on its way to the store. */
  admit(): void {
    const { admission } = this.#core;
    const { operation, plan, rows, missing, lazy, label, renews } = this.request;
    const query = this.#query;
    if (this.#state.is !== 'queued') return admission.drop(this, false);
    const cancel = this.#store?.send(query, () => {
      if (this.#go(lookup)) admission.enqueue(this, false);
    });
    if (cancel !== undefined) {
      admission.drop(this, false);
      return void this.#go({ is: 'waiting', cancel });
    }
    const number = ++this.#sent;
    const groupInFlight = this.limitGroup.inFlight;
    const keep = (this.#store ?? this.#queries)?.keeps;
    const poll = this.#job?.path;
    const request = { operation, plan, query, rows, missing, lazy, label, keep, poll, renews, number };
    const attempt = makeAttempt(this.#core, this, request);
    this.#go({ is: 'inFlight', attempt, groupInFlight, holds: true, unsent: false });
    this.#since = attempt.startedAt;
    if (number === 1) this.#firstAt = attempt.startedAt;
    // In the async context of the call, not of whoever freed the slot: so a trace gives its span the right parent.
    this.#asyncContext.runInAsyncScope(() => attempt.send());
  }

  sending(): void {
    const { events } = this.#core;
    if (events.on) events.emit(this.#base('request'));
  }

  statedLimit(report: RateLimitReport): void {
    this.limitGroup.pace.told?.(this.#core.settings.clock.now(), (this.#state as InFlight).attempt.startedAt, report);
  }

  arrived(): boolean {
    const isReleased = this.#core.admission.releaseEarly(this);
    if (isReleased) (this.#state as InFlight).holds = false;
    return isReleased;
  }

  came(response: Payload, bytes: number, raw?: RawResponse): void {
    const { settings, trouble, counts, events } = this.#core;
    const { limitGroup } = this;
    const { attempt, groupInFlight } = this.#state as InFlight;
    const { startedAt } = attempt;
    const now = settings.clock.now();
    if (limitGroup.isPaced) limitGroup.pace.succeeded(now, { startedAt, inFlight: groupInFlight });
    if (counts.failedAttempts > 0) {
      trouble.passed({ operation: this.request.operation.name, query: this.request.query });
    }
    this.#queries?.came(response);
    if (response.pending !== undefined) return this.#await(response.pending);
    const { plan, query, rows } = this.request;
    const page = this.#core.reader.read(plan, query, rows, response, this.#sent);
    if (page instanceof Error) return this.#fail(page);
    counts.responses++;
    const state = this.#end();
    if (state === undefined) return; // a listener has ended the call
    const { requestId, items } = page;
    if (events.on) {
      const more = { status: 200, ms: now - startedAt, bytes, items: items.length, requestId };
      events.emit(Object.assign(this.#base('response'), more));
    }
    this.#deliver(state, page);
    if (raw === undefined) return;
    if (this.#queries === undefined) this.delivered(page, raw);
    else this.#queries.delivered(raw);
  }

  failed(failure: AttemptFailure): void {
    const state = this.#state as InFlight;
    const { limitGroup } = this;
    state.unsent = failure.unsent === true;
    this.#core.counts.failedAttempts++;
    const sent: SentRequest = { startedAt: state.attempt.startedAt, inFlight: state.groupInFlight };
    tellPace(this.#core, failure, limitGroup, sent, this.#base('throttle'));
    if (this.#state !== state) return;
    if (this.#job?.isEarlier === true && !failureKinds[failure.kind].passes && failure.kind !== 'auth') {
      this.#job = undefined; // it is gone
      return this.#tryAgain(failure, 0);
    }
    const next = this.#next(failure);
    this.#count(failure, state, 'delayMs' in next ? Math.max(next.delayMs, limitGroup.pause.ms) : 0);
    if ('delayMs' in next) this.#tryAgain(failure, next.delayMs);
    else this.#giveUp(next.failure, next.note);
  }

  /** Ends the call silently: there is no subscriber any more. */
  unsubscribe(): void {
    if (this.#state.is === 'over') return;
    const state = this.#end();
    if (state !== undefined) this.#drop(state);
  }

  refuse(refusal: Refusal): void {
    const { operation, query } = this.request;
    if (this.#state.is === 'over') return;
    const last = this.#failed?.last;
    const cause = last === undefined ? undefined : this.#errorOf(last, '');
    this.#drop(this.#state);
    this.#fail(refusal({ operation: operation.name, query, attempts: this.#sent, cause }));
  }

  goAlone(): void {
    if (!this.#go(queued)) return;
    if (this.#shares) this.node?.shareSlot(-1);
    this.#shares = false;
    this.#core.admission.enqueue(this, false);
  }

  shareSlot(): void {
    this.#shares = true;
    this.node?.shareSlot(1);
  }

  receive(part: ResponsePage | TrawlerError): void {
    if (this.#state.is !== 'batched') return;
    const state = this.#end();
    if (state === undefined) return;
    if (part instanceof Error) this.#leave(state, () => this.request.subscriber.error(part));
    else this.#deliver(state, part);
  }

  delivered(page: Page, raw: RawResponse): void {
    this.#store?.delivered(this.#query, page, raw);
  }

  explain(now: number, whyQueued: string): Explained | undefined {
    if (this.#queries !== undefined) return undefined; // they are listed themselves
    const { inFlight, parked } = this;
    const reasons: { readonly [is in CallState['is']]?: string } = { lookup: 'the store', batched: 'the queries that share its request' };
    const reason = this.#state.is === 'queued' ? whyQueued : (reasons[this.#state.is] ?? 'its next attempt');
    const waitsFor = inFlight ? undefined : parked === undefined ? reason : nameOf(parked);
    const [operation, path] = [this.request.operation.name, this.node?.path ?? []];
    return { operation, path, state: inFlight ? 'in flight' : 'waits', for: waitsFor, ms: now - this.#since };
  }

  stalled(holder: DemandNode): void {
    const { events, settings } = this.#core;
    if (!events.on) return;
    const { operation, query } = this.request;
    const path = this.node?.path ?? [];
    events.emit({ type: 'stalled', operation: operation.name, query, at: settings.clock.wall(), path, holder: nameOf(holder) });
  }

  /** False: it comes too late. */
  #go(next: CallState): boolean {
    if (!nextStates[this.#state.is].includes(next.is)) return false;
    this.#state = next;
    if (this.#store !== undefined) this.inStore = next.is === 'lookup';
    return true;
  }

  /** Waits for admission, or for other queries that go in the same request. */
  #queue(): void {
    const { batches, admission } = this.#core;
    if (this.request.plan.batch !== undefined && this.#queries === undefined) {
      const batch = batches.join(this);
      if (batch !== undefined) return void this.#go({ is: 'batched', batch });
    }
    if (this.#go(queued)) admission.enqueue(this, false);
  }

  #tryAgain(failure: AttemptFailure, delayMs: number): void {
    this.#since = this.#core.settings.clock.now();
    this.#tellRetry(failure, delayMs);
    this.#wait(delayMs);
  }

  /** Queues again after a while. */
  #wait(delayMs: number): void {
    const { admission, settings } = this.#core;
    if (this.#state.is === 'over') return; // a listener may have ended the call
    const again = (): void => {
      if (this.#go(queued)) admission.enqueue(this, true);
    };
    this.#leave(this.#state, () => {
      if (delayMs === 0) again();
      else this.#go({ is: 'waiting', cancel: settings.clock.after(delayMs, again) });
    });
  }

  /** Asks for the response again in a while. */
  #await(pending: NonNullable<Payload['pending']>): void {
    const { settings, events, counts } = this.#core;
    const { address, waitMs } = pending;
    const now = settings.clock.now();
    if (this.#job === undefined) this.#job = new JobWait(address);
    else counts.polls++;
    const failure = this.#job.goOn(pending, now);
    if (failure !== undefined) return this.#giveUp(failure, '');
    if (this.#failed !== undefined) this.#failed.inRow = 0;
    this.#firstAt = now;
    this.#since = now;
    if (events.on) events.emit({ ...this.#base('pending'), address, delayMs: waitMs });
    this.#wait(waitMs);
  }

  /** What follows from a failure, once the client has heard of it. */
  #next(failure: AttemptFailure): NextTry {
    const { settings, trouble } = this.#core;
    const { operation, query } = this.request;
    const { pause } = this.limitGroup;
    const repeatable = this.#job !== undefined || operation.spec.repeatable !== false;
    const failed = (this.#failed ??= { ofKind: {}, inRow: 0, resent: false, renewed: false, last: undefined });
    const free = freeRetry(failure, failed, repeatable);
    if (free !== undefined) {
      failed[free] = true;
      failed.last = failure;
      return { delayMs: 0, cost: 0 };
    }
    if (failure.kind !== 'budget') trouble.failed({ operation: operation.name, query }, failure, this.#core.counts.responses > 0);
    const now = settings.clock.now();
    failed.inRow++;
    failed.ofKind[failure.kind] = (failed.ofKind[failure.kind] ?? 0) + 1;
    const situation = { repeatable, spentMs: now - this.#firstAt, outageMs: trouble.tooLongMs, tokens: trouble.tokens };
    const next = afterFailure(failure, failed, situation, settings);
    if ('delayMs' in next) {
      trouble.take(next.cost);
      failed.last = failure;
      // Without a pause, first attempts of other calls would take its place at once.
    } else if (next.tooMany === true && pause.ms === 0) pause.take(trouble.nextPauseMs());
    return next;
  }

  /** No retry helps. */
  #giveUp(failure: AttemptFailure, note: string): void {
    const divided = this.#queries?.divided(failure);
    if (divided !== undefined) {
      const state = this.#end();
      this.#tellRetry(failure, 0);
      if (state !== undefined) this.#leave(state, divided);
    } else if (this.#store === undefined) this.#failWith(failure, note);
    else {
      this.#store.refused(failure, (pages) => {
        if (this.#state.is === 'over') return;
        if (pages === undefined) return this.#failWith(failure, note);
        this.#tellRetry(failure, 0); // whoever counts requests in flight hears that this one is over
        this.#renew(pages);
      });
    }
  }

  #failWith(failure: AttemptFailure, note: string): void {
    const { admission, trouble, transport } = this.#core;
    admission.beforeNext(() => {
      this.#fail(this.#errorOf(failure, note));
      if (failure.kind === 'auth') this.#core.stop(authRefusal(this.#core.settings.service, failure.details));
      if (isExhausted(failure)) this.#core.stop(quotaRefusal);
      if (trouble.tooLongMs !== undefined) this.#core.refuseWaiting(outageRefusal(failure, trouble.tooLongMs, transport));
    });
  }

  /** Sends the query again, with the token that the pages before it have now. */
  #renew(pages: number): void {
    this.#leave(this.#state, () => {
      const renewal = new Subscription();
      if (!this.#go({ is: 'waiting', cancel: () => renewal.unsubscribe() })) return;
      const begin = (page: CallRequest): Call => {
        const call = new Call(this.#core, page, this.#store!.forCall(page));
        call.start();
        return call;
      };
      const renewed = renewQuery(this.request, pages, begin).subscribe({
        next: (query) => {
          this.#query = query;
          if (this.#go(queued)) this.#core.admission.enqueue(this, true);
        },
        error: (error: TrawlerError) => this.#fail(error),
      });
      renewal.add(renewed);
    });
  }

  #cameStored({ payload, bytes, at: storedAt, batch }: StoredPayload): void {
    const { reader, events, counts, batches } = this.#core;
    const { operation, plan, query, rows } = this.request;
    const whole = reader.read(plan, query, rows, payload, 0);
    if (whole instanceof Error) return this.#fail(whole);
    const page = batch === undefined ? whole : batches.partOf(operation, query, whole, batch);
    counts.hits++;
    const state = this.#end();
    if (state === undefined) return;
    if (events.on) {
      const { attempt: _, ...base } = this.#base('hit');
      events.emit(Object.assign(base, { storedAt, bytes, items: page.items.length, requestId: page.requestId }));
    }
    this.#deliver(state, page);
  }

  #deliver(state: CallState, page: ResponsePage): void {
    const { subscriber } = this.request;
    this.#leave(state, () => {
      subscriber.next(page);
      subscriber.complete();
    });
  }

  #fail(error: TrawlerError): void {
    const { events, counts } = this.#core;
    const state = this.#end();
    if (state === undefined) return;
    counts.failures++;
    if (events.on) events.emit({ ...this.#base('failure'), error });
    this.#leave(state, () => this.request.subscriber.error(error));
  }

  /** Returns what it held until now; undefined if it was over. */
  #end(): CallState | undefined {
    const { calls, trouble } = this.#core;
    const state = this.#state;
    if (!this.#go(over)) return undefined;
    calls.delete(this);
    if (calls.size === 0) trouble.forget();
    if (this.#shares) this.node?.shareSlot(-1);
    this.node?.addActive(-1);
    return state;
  }

  /** Drops its request in flight, or whatever it waits for. */
  #drop(state: CallState): void {
    const { admission } = this.#core;
    switch (state.is) {
      case 'lookup':
      case 'queued':
        admission.withdraw(this);
        break;
      case 'batched':
        state.batch.leave(this);
        break;
      case 'inFlight': {
        const sent = state.attempt.abort();
        if (state.holds) admission.drop(this, sent);
        state.holds = false;
        break;
      }
      case 'waiting':
        state.cancel();
        break;
      case 'made':
      case 'over':
    }
    this.#store?.sent();
  }

  /** Lets go of its slot, if it has one, and runs `then` where the call was made: requests that it starts belong to that node. */
  #leave(state: CallState, then: () => void): void {
    const { admission } = this.#core;
    this.#store?.sent();
    const work = (): void => void this.#asyncContext.runInAsyncScope(withDemand, undefined, this.node, then, true);
    if (state.is === 'inFlight' && state.holds) admission.release(this, work, !state.unsent);
    else admission.beforeNext(work);
  }

  /** Emits `retry`. */
  #tellRetry(failure: AttemptFailure, delayMs: number): void {
    const { pause } = this.limitGroup;
    const { events, counts } = this.#core;
    counts.retries++;
    if (events.on) events.emit({ ...this.#base('retry'), delayMs: Math.max(delayMs, pause.ms), error: this.#errorOf(failure, '') });
  }

  /** Counts a failed attempt, with the time that it costs. */
  #count(failure: AttemptFailure, { attempt }: InFlight, delayMs: number): void {
    const { failed, settings } = this.#core;
    if (failure.unsent === true || failure.kind === 'closed') return;
    failed.add(failure, settings.clock.now() - attempt.startedAt + delayMs);
  }

  #errorOf(failure: AttemptFailure, note: string): TrawlerError {
    const { operation, query } = this.request;
    const call = { operation: operation.name, query, attempts: this.#sent };
    // several services in one run have a key each
    const advice = failure.advice === undefined ? undefined : withVariables(failure.advice, this.#core.settings.service);
    return failureError({ ...failure, advice }, note, call, (text) => this.#core.transport.secrets.redact(text));
  }

  /**
   * What all events of a call have. There are two for every page, so `Object.assign` adds the rest: V8 takes a microsecond for
   * each new field of a spread copy.
   */
  #base<Type extends ClientEvent['type']>(type: Type): EventBase & { readonly type: Type } {
    const { query, label, walk, node } = this.request;
    const operation = this.request.operation.name;
    const at = this.#core.settings.clock.wall();
    const [id, attempt, part] = [this.#id, this.#sent, partOf(node)];
    if (label !== undefined) return { type, operation, query, at, id, attempt, part, label, walk };
    if (part !== undefined) return { type, operation, query, at, id, attempt, part };
    return { type, operation, query, at, id, attempt };
  }
}

function nameOf(node: DemandNode): string {
  return node.name ?? 'a node without a name';
}
