import type { IncomingHttpHeaders } from 'node:http';
import type { Subscriber } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import { AuthError, TimeoutError, type TrawlerError } from '../../errors/index.ts';
import { toSearchParams, type AnyOperation } from '../../operations/index.ts';
import type { Refusal, Task } from '../admission/Task.ts';
import { decodeBody } from '../answer/decodeBody.ts';
import { parseAnswer } from '../answer/parseAnswer.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Page } from '../Page.ts';
import { codeFailure } from './codeFailure.ts';
import { Exchange, type ExchangeReceiver } from './Exchange.ts';
import { failureError, type Failure } from './Failure.ts';
import { networkFailure } from './networkFailure.ts';
import { nextTry } from './nextTry.ts';
import { payloadFailure } from './payloadFailure.ts';
import type { FailureKind } from './retryRules.ts';
import { statusFailure } from './statusFailure.ts';

/** What a call is for. */
export interface CallRequest {
  readonly operation: AnyOperation;
  readonly query: object;
  /** Another list of the answer as rows. */
  readonly rows: string | undefined;
  readonly node: DemandNode | undefined;
  readonly subscriber: Subscriber<Page>;
}

const nobody = Buffer.alloc(0);

/**
 * One page that somebody waits for: asks the admission, sends, reads, and tries again where that helps. It holds a place in
 * flight only while a request of it is out, not while it waits for its next attempt.
 */
export class Call implements Task, ExchangeReceiver {
  readonly node: DemandNode | undefined;
  readonly depth: number;
  order = 0;
  index = -1;
  parked: DemandNode | undefined = undefined;
  inFlight = false;

  readonly #core: ClientCore;
  readonly #request: CallRequest;
  readonly #id: number;
  /** Requests that went out. */
  #attempt = 0;
  #failures = 0;
  readonly #failuresOf: { [kind in FailureKind]?: number } = {};
  #lastFailure: Failure | undefined;
  /** A connection that broke in use was made good for. */
  #resent = false;
  #firstAt = 0;
  #sentAt = 0;
  #exchange: Exchange | undefined;
  #cancelTimer: (() => void) | undefined;
  #over = false;

  constructor(core: ClientCore, request: CallRequest) {
    this.#core = core;
    this.#request = request;
    this.#id = ++core.counts.calls;
    this.node = request.node;
    this.depth = request.node?.depth ?? -1;
  }

  start(): void {
    this.#core.calls.add(this);
    this.#core.admission.enqueue(this, false);
  }

  /** Ends the call without a word: nobody waits for it any more. */
  cancel(): void {
    if (this.#over) return;
    this.#end(undefined);
    this.#exchange?.abort();
    if (this.inFlight) this.#leave(() => {});
    else this.#core.admission.withdraw(this);
  }

  admit(): void {
    const { events, health, settings, transport } = this.#core;
    const { operation, query } = this.#request;
    this.inFlight = true;
    this.#attempt++;
    this.#sentAt = settings.clock.now();
    if (this.#attempt === 1) {
      this.#firstAt = this.#sentAt;
      health.began(operation.name);
    }
    if (events.on) events.emit({ type: 'request', ...this.#base() });
    this.#exchange = new Exchange(this, settings.maxBodyBytes);
    this.#cancelTimer = settings.clock.after(settings.timeoutMs, () => this.#timedOut());
    const search = toSearchParams(operation, query);
    transport.send(`${settings.address.prefix}${operation.spec.path}${search === '' ? '' : `?${search}`}`, this.#exchange);
  }

  refuse(refusal: Refusal): void {
    if (this.#over) return;
    this.#core.admission.withdraw(this);
    const cause = this.#lastFailure === undefined ? undefined : this.#errorOf(this.#lastFailure, '');
    this.#exchange?.abort();
    this.#fail(refusal({ operation: this.#request.operation.name, query: this.#request.query, attempts: this.#attempt, cause }), undefined);
  }

  answered(status: number, headers: IncomingHttpHeaders, body: Buffer): void {
    const { maxBodyBytes, clock } = this.#core.settings;
    const encoding = headers['content-encoding']?.toLowerCase() ?? '';
    decodeBody(body, encoding, maxBodyBytes, (fault, decoded) => {
      if (this.#over || !this.inFlight) return;
      if (status !== 200) this.#failed(statusFailure(status, headers, fault === undefined ? decoded : nobody, clock.wall()));
      else if (fault !== undefined) this.#failed(payloadFailure(fault, nobody));
      else if (decoded.length === 0) this.#failed(payloadFailure('empty', nobody));
      else this.#read(decoded);
    });
  }

  overflowed(): void {
    this.#failed(payloadFailure('tooLarge', nobody));
  }

  broke(error: Error, status: number): void {
    const { transport } = this.#core;
    const failure = networkFailure(error, status);
    if (status === 0 && !this.#resent && failure.kind === 'network' && transport.wasInUse(error)) {
      this.#resent = true;
      this.#tryAgain(failure, 0);
    } else {
      this.#failed(failure);
    }
  }

  #timedOut(): void {
    this.#exchange?.abort();
    this.#failed({
      kind: 'timeout',
      error: TimeoutError,
      what: `no whole answer within ${this.#core.settings.timeoutMs} ms`,
      advice: 'raise timeoutMs if the service is slow',
    });
  }

  #read(body: Buffer): void {
    const { settings, reader, events, quota, counts } = this.#core;
    const { operation, query, rows, subscriber } = this.#request;
    const answer = parseAnswer(body);
    if (answer.kind !== 'envelope') return this.#failed(payloadFailure(answer.kind, body));
    if (answer.code !== 200) return this.#failed(codeFailure(answer, settings.envelopeCodes));
    const now = settings.clock.now();
    settings.pace.succeeded(now, this.#sentAt);
    quota.giveBack();
    const page = reader.read(operation, query, rows, answer, this.#attempt);
    if (page instanceof Error) return this.#fail(page, true);
    counts.answers++;
    if (events.on) {
      const { requestId, items } = page;
      const ms = now - this.#sentAt;
      events.emit({ type: 'answer', ...this.#base(), status: 200, ms, bytes: body.length, items: items.length, requestId });
    }
    this.#end(this.#attempt === 1);
    this.#leave(() => {
      subscriber.next(page);
      subscriber.complete();
    });
  }

  #failed(failure: Failure): void {
    const { settings, admission, events, counts } = this.#core;
    const { status, retryAfterMs = 0 } = failure.details ?? {};
    const now = settings.clock.now();
    if (failure.kind === 'throttled') {
      counts.throttled++;
      settings.pace.throttled(now, this.#sentAt, failure.details?.retryAfterMs);
    } else if (status !== undefined) {
      settings.pace.succeeded(now, this.#sentAt);
    }
    this.#failures++;
    const ofThisKind = (this.#failuresOf[failure.kind] ?? 0) + 1;
    this.#failuresOf[failure.kind] = ofThisKind;
    const next = nextTry(failure, { failures: this.#failures, ofThisKind, elapsedMs: now - this.#firstAt }, this.#core);
    const pauses = 'delayMs' in next && retryAfterMs > 0;
    // Never earlier than it was asked for, and not all clients at the same moment.
    if (pauses) admission.pause(retryAfterMs + settings.clock.random() * Math.min(1000, retryAfterMs / 10));
    if (events.on && (pauses || failure.kind === 'throttled')) {
      const { operation, query } = this.#request;
      const pauseMs = admission.pausedMs;
      const rate = settings.pace.rate;
      events.emit({ type: 'throttle', operation: operation.name, query, at: settings.clock.wall(), status: status ?? 0, pauseMs, rate });
    }
    if ('delayMs' in next) return this.#tryAgain(failure, next.delayMs);
    const error = this.#errorOf(failure, next.note);
    if (failure.kind === 'auth') this.#core.stop(authRefusal(status));
    this.#fail(error, false);
  }

  #tryAgain(failure: Failure, delayMs: number): void {
    const { admission, events, settings, counts } = this.#core;
    this.#lastFailure = failure;
    counts.retries++;
    this.#stopTimer();
    if (events.on) {
      const untilMs = Math.max(delayMs, admission.pausedMs);
      events.emit({ type: 'retry', ...this.#base(), delayMs: untilMs, error: this.#errorOf(failure, '') });
    }
    const again = (): void => admission.enqueue(this, true);
    this.#leave(() => {
      if (delayMs === 0) again();
      else this.#cancelTimer = settings.clock.after(delayMs, again);
    });
  }

  #fail(error: TrawlerError, good: boolean | undefined): void {
    const { events, counts } = this.#core;
    counts.failures++;
    if (events.on) events.emit({ type: 'failure', ...this.#base(), error });
    this.#end(good);
    this.#leave(() => this.#request.subscriber.error(error));
  }

  /** Nothing of this call happens any more; `good` as `HealthBoard.ended` takes it. */
  #end(good: boolean | undefined): void {
    this.#over = true;
    this.#stopTimer();
    this.#core.calls.delete(this);
    if (this.#attempt > 0) this.#core.health.ended(this.#request.operation.name, good);
  }

  /** Gives up the place in flight, if it has one; what `then` brings about is born where this call was. */
  #leave(then: () => void): void {
    const { admission } = this.#core;
    const work = (): void => withDemand(this.node, then);
    if (!this.inFlight) return admission.quietly(work);
    this.inFlight = false;
    this.#exchange = undefined;
    admission.release(work);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #errorOf(failure: Failure, note: string): TrawlerError {
    const { operation, query } = this.#request;
    return failureError(failure, note, { operation: operation.name, query, attempts: this.#attempt }, (text) =>
      this.#core.transport.redact(text),
    );
  }

  #base(): { readonly operation: string; readonly query: object; readonly at: number; readonly id: number; readonly attempt: number } {
    const { operation, query } = this.#request;
    return { operation: operation.name, query, at: this.#core.settings.clock.wall(), id: this.#id, attempt: this.#attempt };
  }
}

function authRefusal(status: number | undefined): Refusal {
  return (details) =>
    new AuthError(
      `${details.operation}: not asked for, since the service refused the key (HTTP ${status}); check apiKey and make a new client`,
      {
        ...details,
        status,
      },
    );
}
