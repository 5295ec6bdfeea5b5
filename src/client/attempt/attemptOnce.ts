import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { TrawlerError } from '../../errors/index.ts';
import type { LimitGroup } from '../admission/LimitGroups.ts';
import type { Refusal, Task } from '../admission/Task.ts';
import type { RateLimitReport } from '../rate/Pace.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { ClientCore } from '../ClientCore.ts';
import { makeAttempt } from './Attempt.ts';
import type { AttemptOwner, AttemptRequest, RawResponse, RunningAttempt, AttemptFailure } from './AttemptFailure.ts';

/** The result of the attempt. `refused`: nothing was sent, and this client will send nothing more. */
type AttemptOutcome =
  | {
      readonly kind: 'response';
      readonly response: Payload;
      readonly bytes: number;
      readonly raw?: RawResponse | undefined;
      readonly ms: number;
      /** What its headers state. */
      readonly limit?: RateLimitReport | undefined;
    }
  | { readonly kind: 'failure'; readonly failure: AttemptFailure; readonly ms: number; readonly limit?: RateLimitReport | undefined }
  | { readonly kind: 'refused'; readonly error: TrawlerError };

/**
 * Sends one request through a client's admission, without retries. Used when another client leads and decides about
 * retries, pauses and the learnt rate. The client's own concurrency, budget and known limits apply.
 */
export function attemptOnce(core: ClientCore, request: AttemptRequest): Promise<AttemptOutcome> {
  return new Promise((resolve) => new Once(core, request, resolve).start());
}

class Once implements Task, AttemptOwner {
  readonly limitGroup: LimitGroup;
  readonly node: DemandNode | undefined = undefined;
  readonly depth = 0;
  order = 0;
  parked: DemandNode | undefined = undefined;
  readonly inStore = false;
  slot = -1;
  readonly #core: ClientCore;
  readonly #request: AttemptRequest;
  readonly #resolve: (outcome: AttemptOutcome) => void;
  readonly #id: number;
  #attempt: RunningAttempt | undefined;
  #limit: RateLimitReport | undefined;

  constructor(core: ClientCore, request: AttemptRequest, resolve: (outcome: AttemptOutcome) => void) {
    this.#core = core;
    this.limitGroup = core.limitGroups.of(request.operation);
    this.#request = request;
    this.#resolve = resolve;
    this.#id = ++core.counts.calls;
  }

  get inFlight(): boolean {
    return this.#attempt !== undefined;
  }

  start(): void {
    this.#core.calls.add(this);
    this.#core.admission.enqueue(this, false);
  }

  admit(): void {
    this.#attempt = makeAttempt(this.#core, this, this.#request);
    this.#attempt.send();
  }

  sending(): void {
    const { events } = this.#core;
    if (events.on) events.emit({ type: 'request', ...this.#base() });
  }

  refuse(refusal: Refusal): void {
    const { operation, query } = this.#request;
    this.#core.admission.withdraw(this);
    if (this.#attempt !== undefined) this.#core.admission.drop(this, this.#attempt.abort());
    this.#attempt = undefined;
    this.#end({ kind: 'refused', error: refusal({ operation: operation.name, query }) });
  }

  statedLimit(report: RateLimitReport): void {
    this.#limit = report;
    this.limitGroup.pace.told?.(this.#core.settings.clock.now(), this.#attempt!.startedAt, report);
  }

  arrived(): boolean {
    return false;
  }

  came(given: Payload, bytes: number, raw?: RawResponse): void {
    const { events, counts, transport } = this.#core;
    // A short key stays in rows, where it may be a word. These are for people.
    const clean = <T>(value: T): T => (typeof value === 'string' ? (transport.secrets.redact(value) as T) : value);
    const response = { ...given, message: clean(given.message), requestId: clean(given.requestId) };
    const ms = this.#took();
    counts.responses++;
    if (events.on) {
      const { requestId } = response;
      events.emit({ type: 'response', ...this.#base(), status: 200, ms, bytes, items: 0, requestId });
    }
    this.#end({ kind: 'response', response, bytes, raw, ms, limit: this.#limit });
  }

  failed(failure: AttemptFailure): void {
    const ms = this.#took();
    if (failure.kind === 'throttled') this.#core.counts.throttled++;
    else this.#core.counts.failures++;
    this.#end({ kind: 'failure', failure, ms, limit: this.#limit }, failure.unsent !== true);
  }

  /** Every response counts as good for the pace: only the leading client learns a rate. */
  #took(): number {
    const { limitGroup } = this;
    const { startedAt } = this.#attempt!;
    const now = this.#core.settings.clock.now();
    limitGroup.pace.succeeded(now, { startedAt, inFlight: limitGroup.inFlight });
    return now - startedAt;
  }

  #end(outcome: AttemptOutcome, sent = true): void {
    this.#core.calls.delete(this);
    const done = (): void => this.#resolve(outcome);
    if (this.#attempt === undefined) return done();
    this.#attempt = undefined;
    this.#core.admission.release(this, done, sent);
  }

  #base(): { readonly operation: string; readonly query: object; readonly at: number; readonly id: number; readonly attempt: number } {
    const { operation, query } = this.#request;
    return { operation: operation.name, query, at: this.#core.settings.clock.wall(), id: this.#id, attempt: 1 };
  }
}
