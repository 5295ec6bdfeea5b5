import { usualJob } from '../../contract/index.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { TrawlerError } from '../../errors/index.ts';
import { authRefusal, quotaRefusal } from '../admission/Admission.ts';
import type { Refusal } from '../admission/Task.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { BatchMember, SharedRequest } from '../batch/SharedRequest.ts';
import type { Page } from '../Client.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import type { Payload } from '../response/parseResponse.ts';
import { type AttemptOwner, type RawResponse, type RunningAttempt, failureError, type AttemptFailure } from './AttemptFailure.ts';
import { heedOutage, outageRefusal } from './heedHeaders.ts';
import type { RateLimitReport, Trip } from '../rate/Pace.ts';
import { JobWait } from './JobWait.ts';
import { PageCall, type CallRequest } from './PageCall.ts';
import { isExhausted, Retries, tellPace } from './Retries.ts';

/**
 * Requests a page: waits for admission, sends, and retries where that helps. It takes a slot only while its
 * request is in flight, not while it waits for its next attempt.
 */
export class Call extends PageCall implements AttemptOwner, BatchMember {
  /** The query to send. */
  protected query: object;
  /** The response is wanted as it arrived, too. */
  protected keep = false;
  /** The headers of a conditional request. */
  protected condition: readonly string[] | undefined;
  #retries: Retries | undefined;
  #firstAt = 0;
  /** Requests in flight when the last one was sent, including it. */
  #inFlight = 0;
  /** It gave up its slot before its page was read. */
  #released = false;
  /** Its last attempt ended before it was sent. */
  #unsent = false;
  #attempt: RunningAttempt | undefined;
  #cancelWait: (() => void) | undefined;
  /** The queries whose request it shares. */
  #batch: SharedRequest | undefined;
  #rides = false;
  #job: JobWait | undefined;

  constructor(core: ClientCore, request: CallRequest) {
    super(core, request);
    this.query = request.query;
    if (request.job !== undefined) this.#job = new JobWait(request.job);
  }

  get inFlight(): boolean {
    return this.#attempt !== undefined || this.#batch?.inFlight === true;
  }

  start(): void {
    this.begin();
    this.queue();
  }

  admit(): void {
    const { health } = this.core;
    const { operation, rows, missing, lazy, label, renews } = this.request;
    const { query, keep, condition } = this;
    this.sent++;
    this.#inFlight = this.charge.lane.inFlight;
    const attempt = this.core.attempt(this, {
      operation,
      query,
      rows,
      missing,
      lazy,
      label,
      keep,
      condition,
      poll: this.#job?.path,
      renews,
      number: this.sent,
    });
    this.#attempt = attempt;
    this.#unsent = false;
    this.since = attempt.startedAt;
    if (this.sent === 1) {
      this.#firstAt = attempt.startedAt;
      health.began(operation.name);
    }
    this.send(attempt);
  }

  sending(): void {
    const { events } = this.core;
    if (events.on) events.emit(this.base('request'));
  }

  refuse(refusal: Refusal): void {
    if (this.over) return;
    this.withdraw();
    const { operation, query } = this.request;
    const last = this.#retries?.last;
    const cause = last === undefined ? undefined : this.#errorOf(last, '');
    this.fail(refusal({ operation: operation.name, query, attempts: this.sent, cause }), undefined);
  }

  told(report: RateLimitReport): void {
    const { lanes, settings } = this.core;
    lanes.told(this.request.operation, settings.clock.now(), this.#attempt!.startedAt, report);
  }

  arrived(): boolean {
    this.#released = this.core.admission.releaseEarly(this);
    return this.#released;
  }

  came(response: Payload, bytes: number, raw?: RawResponse): void {
    const { settings, reader, events, quota, signs, outage, counts } = this.core;
    const { lane } = this.charge;
    const { operation, query, rows } = this.request;
    const { startedAt } = this.#attempt!;
    const now = settings.clock.now();
    lane.pace.succeeded(now, { startedAt, inFlight: this.#inFlight, cost: this.charge.cost });
    quota.giveBack();
    signs.succeeded();
    if (outage.isOn) heedOutage(this.core, this.base('outage'));
    if (response.pending !== undefined) return this.#await(response.pending);
    const page = reader.read(operation, query, rows, response, this.sent);
    if (page instanceof Error) return this.fail(page, false);
    counts.responses++;
    this.end(this.sent === 1);
    if (events.on) {
      const { requestId, items } = page;
      events.emit(Object.assign(this.base('response'), { status: 200, ms: now - startedAt, bytes, items: items.length, requestId }));
    }
    this.succeed(page);
    if (raw !== undefined) this.delivered(page, raw);
  }

  failed(failure: AttemptFailure): void {
    this.#unsent = failure.unsent === true;
    const { lane, cost } = this.charge;
    const trip: Trip = { startedAt: this.#attempt!.startedAt, inFlight: this.#inFlight, cost };
    tellPace(this.core, failure, lane, trip, this.base('throttle'));
    if (this.over) return;
    if (this.#job?.isEarlier === true && !failureKinds[failure.kind].passes && failure.kind !== 'auth') {
      this.#job = undefined; // it is gone
      return this.#tryAgain(failure, 0);
    }
    const isRepeatable = this.#job !== undefined || this.request.operation.spec.repeatable !== false;
    const next = (this.#retries ??= new Retries(this.core, this)).after(failure, this.#firstAt, isRepeatable);
    this.#count(failure, 'delayMs' in next ? Math.max(next.delayMs, lane.pause.ms) : 0);
    if ('delayMs' in next) this.#tryAgain(failure, next.delayMs);
    else this.giveUp(next.failure, next.note);
  }

  /** Waits for admission, or for other queries that go in the same request. */
  protected queue(): void {
    const { batches, admission } = this.core;
    this.#batch = batches.join(this);
    if (this.#batch === undefined) admission.enqueue(this, false);
  }

  share(request: SharedRequest): void {
    this.#batch = request;
  }

  ride(): void {
    this.#rides = true;
    this.node?.ride(1);
  }

  receive(part: ResponsePage | TrawlerError): void {
    if (this.over) return;
    this.#batch = undefined;
    this.end(undefined);
    if (part instanceof Error) this.leave(() => this.request.subscriber.error(part));
    else this.succeed(part);
  }

  /** No retry helps. */
  protected giveUp(failure: AttemptFailure, note: string): void {
    this.core.admission.quietly(() => {
      this.fail(this.#errorOf(failure, note), false);
      if (failure.kind === 'auth') this.core.stop(authRefusal(failure.details?.status, failure.details?.code));
      if (isExhausted(failure)) this.core.stop(quotaRefusal);
      if (this.core.outage.isTooLong) this.core.refuseWaiting(outageRefusal(this.core, failure));
    });
  }

  /** The page is delivered; `raw` is the response that it was read from. */
  delivered(_page: Page, _raw: RawResponse): void {}

  protected override waitsFor(queued: string): string {
    return this.#batch === undefined ? super.waitsFor(queued) : 'the queries that share its request';
  }

  protected override end(good: boolean | undefined): void {
    this.#cancelWait?.();
    if (this.#rides) this.node?.ride(-1);
    super.end(good);
  }

  protected withdraw(): void {
    const { admission } = this.core;
    this.#batch?.leave(this);
    this.#batch = undefined;
    admission.withdraw(this);
    if (this.#attempt === undefined) return;
    const sent = this.#attempt.abort();
    if (!this.#released) admission.drop(this, sent);
    this.#attempt = undefined;
    this.#released = false;
  }

  protected leave(then: () => void): void {
    const { admission } = this.core;
    const work = (): void => this.where(then);
    const holdsPlace = this.#attempt !== undefined && !this.#released;
    this.#attempt = undefined;
    this.#released = false;
    if (holdsPlace) admission.release(this, work, !this.#unsent);
    else admission.quietly(work);
  }

  /** Asks for the response again in a while. */
  #await(pending: NonNullable<Payload['pending']>): void {
    const { admission, settings, events } = this.core;
    const { address, waitMs } = pending;
    const { maxMs = usualJob.maxMs } = this.request.operation.spec.job ?? {};
    const now = settings.clock.now();
    this.#job ??= new JobWait(address);
    const failure = this.#job.goOn(pending, maxMs, now);
    if (failure !== undefined) return this.giveUp(failure, '');
    this.#retries?.answered();
    this.#firstAt = now;
    this.since = now;
    if (events.on) events.emit({ ...this.base('pending'), address, delayMs: waitMs });
    if (this.over) return; // a listener may have ended the call
    this.leave(() => (this.#cancelWait = settings.clock.after(waitMs, () => admission.enqueue(this, true))));
  }

  /** Says that its failure leads to another request. */
  protected tellRetry(failure: AttemptFailure, delayMs: number): void {
    const { pause } = this.charge.lane;
    const { events, counts } = this.core;
    counts.retries++;
    if (events.on) events.emit({ ...this.base('retry'), delayMs: Math.max(delayMs, pause.ms), error: this.#errorOf(failure, '') });
  }

  /** Counts a failed attempt, with the time that it costs. */
  #count(failure: AttemptFailure, delayMs: number): void {
    const { failed, settings } = this.core;
    if (failure.unsent === true || failure.kind === 'unchanged' || failure.kind === 'closed') return;
    failed.add(failure, settings.clock.now() - this.#attempt!.startedAt + delayMs);
  }

  #tryAgain(failure: AttemptFailure, delayMs: number): void {
    const { admission, settings } = this.core;
    this.since = settings.clock.now();
    this.tellRetry(failure, delayMs);
    if (this.over) return;
    const again = (): void => admission.enqueue(this, true);
    this.leave(() => {
      if (delayMs === 0) again();
      else this.#cancelWait = settings.clock.after(delayMs, again);
    });
  }

  #errorOf(failure: AttemptFailure, note: string): TrawlerError {
    const { operation, query } = this.request;
    const call = { operation: operation.name, query, attempts: this.sent };
    return failureError(failure, note, call, (text) => this.core.transport.secrets.redact(text));
  }
}
