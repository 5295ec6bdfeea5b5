import type { IncomingHttpHeaders } from 'node:http';
import { decodeBody, isPlain, readBody } from '../response/decodeBody.ts';
import type { Lane } from '../admission/Lanes.ts';
import type { ClientCore } from '../ClientCore.ts';
import { nextAddress, requestPath, envelopeOf, usualJob } from '../../contract/index.ts';
import { givenPath, outside } from './nextPath.ts';
import { type AttemptOwner, type AttemptRequest, type RunningAttempt, type AttemptFailure, networkFailure } from './AttemptFailure.ts';
import { payloadFailure, bodyFailure, lackFailure, statusFailure, unspendable } from './attemptFailures.ts';
import type { Reserved, Unspendable } from '../../ledger/Purse.ts';
import { Exchange, type ExchangeReceiver } from './Exchange.ts';
import type { Proof } from '../keys/Credential.ts';
import type { WireRequest } from './Transport.ts';
import { keyFailure } from '../keys/Renewed.ts';
import type { Judge } from './failurePolicy.ts';
import { applyLimitHeaders, type Refused } from './applyLimitHeaders.ts';
import { readerFor } from '../response/formats/readerFor.ts';
import { parseResponse, type Payload, type Unreadable } from '../response/parseResponse.ts';
import { withNext } from '../response/ResponsePage.ts';
import { jobState, type PendingJob } from './JobWait.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';

const nothing = Buffer.alloc(0);
/** What a response says that says nothing of a limit. */
const quiet: Refused = { noneLeft: false };

/** Makes an attempt: in the client's own way, if it has one. */
export function makeAttempt(core: ClientCore, owner: AttemptOwner, request: AttemptRequest): RunningAttempt {
  return core.remote?.(owner, request) ?? new Attempt(core, owner, request);
}

/** One request, from sending it to reading the response, with one deadline for all of it. */
class Attempt implements ExchangeReceiver, RunningAttempt {
  readonly startedAt: number;
  readonly #core: ClientCore;
  readonly #owner: AttemptOwner;
  readonly #request: AttemptRequest;
  readonly #exchange: Exchange;
  readonly #cancelDeadline: () => void;
  /** Without the key. */
  #sentTo = '';
  #carried: Proof | undefined;
  /** What the ledger has reserved for it. */
  #reserved: Reserved | undefined;
  #headers: IncomingHttpHeaders = {};
  #over = false;

  constructor(core: ClientCore, owner: AttemptOwner, request: AttemptRequest) {
    const { clock, timeoutMs, maxBodyBytes } = core.settings;
    this.#core = core;
    this.#owner = owner;
    this.#request = request;
    this.startedAt = clock.now();
    this.#exchange = new Exchange(this, maxBodyBytes);
    this.#cancelDeadline = clock.after(timeoutMs, () => this.#timedOut());
  }

  send(): void {
    const { origin, prefix } = this.#core.settings.address;
    const { operation, plan, query, poll } = this.#request;
    const own = `${prefix}${requestPath(operation, query)}`;
    const given = poll ?? (plan?.pagesByAddress === false ? undefined : nextAddress(operation, query));
    const path = given === undefined ? own : givenPath(given, origin + own, this.#core.settings);
    if (path === undefined) return this.#failed(outside('the next page', this.#core.settings));
    this.#sentTo = path;
    let ready: WireRequest | Promise<WireRequest>;
    try {
      ready = this.#core.transport.ready({ path, operation, query, polls: poll !== undefined });
    } catch (error) {
      return this.#failed(keyFailure(error));
    }
    if (!(ready instanceof Promise)) return this.#core.purse === undefined ? this.#dispatch(ready) : this.#reserve(ready);
    ready.then(
      (made) => this.#over || (this.#core.purse === undefined ? this.#dispatch(made) : this.#reserve(made)),
      (error: unknown) => this.#failed(keyFailure(error)),
    );
  }

  /** Sends nothing that isn't reserved. */
  #reserve(ready: WireRequest): void {
    const found = this.#core.purse!.take(this.#request.operation.name);
    if (found instanceof Promise) void found.then((later) => this.#found(ready, later));
    else this.#found(ready, found);
  }

  #found(ready: WireRequest, found: Reserved | Unspendable): void {
    if ('because' in found) return this.#failed(unspendable(found));
    this.#reserved = found;
    if (this.#over) this.#settle(false);
    else this.#dispatch(ready);
  }

  /** The request is paid for, if it was sent. */
  #settle(failed: boolean): void {
    const reserved = this.#reserved;
    if (reserved === undefined) return;
    this.#reserved = undefined;
    const { operation, number } = this.#request;
    const { sent } = this.#exchange;
    this.#core.purse!.settle(reserved, { operation: operation.name, sent, failed, isRetry: number > 1, headers: this.#headers });
  }

  #dispatch(ready: WireRequest): void {
    this.#carried = ready.carried;
    if (this.#core.events.on) this.#owner.sending();
    if (this.#over) return; // a listener may have ended the call
    try {
      this.#core.transport.send(ready, this.#exchange);
    } catch (error) {
      this.#exchange.abort();
      this.broke(error instanceof Error ? error : new Error(String(error)), false, 0);
    }
  }

  abort(): boolean {
    this.#end();
    this.#exchange.abort();
    this.#settle(false);
    return this.#exchange.sent;
  }

  responded(status: number, headers: IncomingHttpHeaders, body: Buffer): void {
    const { policy, clock } = this.#core.settings;
    this.#headers = headers;
    const { lane } = this.#request.plan ?? this.#core.planOf(this.#request.operation);
    // As far as the responses before it tell, it has no header of a limit.
    const isUsual = status === 200 && lane.quietHeaders === Object.keys(headers).length;
    const isQuiet = isUsual && !('x-ratelimit-remaining' in headers || 'ratelimit' in headers || 'ratelimit-remaining' in headers);
    const at = isQuiet && policy.judge === undefined ? 0 : clock.wall();
    const judge = policy.judge?.(status, headers, at, this.#request.operation.spec);
    if (lane.inBody) return this.#decode(status, headers, body, this.#heardInBody(lane, { status, headers, at }, judge));
    const refused = isQuiet ? quiet : applyLimitHeaders(this.#core, lane, this.#request, { status, headers, at }, this.#owner);
    const heard: Heard = { refused, judge };
    // What a body may say of a pause comes before the next request, which may go while other bodies are read.
    const mayPause = headers['retry-after'] !== undefined || judge !== undefined;
    if (status !== 200 || mayPause || !this.#owner.arrived()) return this.#decode(status, headers, body, heard);
    this.#cancelDeadline();
    setImmediate(() => this.#decode(status, headers, body, heard));
  }

  /** The body says how much is left, so that is known once it is read. */
  #heardInBody(lane: Lane, response: Pick<Arrived, 'status' | 'headers'> & { readonly at: number }, rules: Judge | undefined): Heard {
    const heard = {
      refused: { noneLeft: false } as Refused,
      judge: ((body, code) => {
        heard.refused = applyLimitHeaders(this.#core, lane, this.#request, { ...response, body }, this.#owner);
        return rules?.(body, code);
      }) satisfies Judge,
    };
    return heard;
  }

  #decode(status: number, headers: IncomingHttpHeaders, body: Buffer, heard: Heard): void {
    if (this.#over) return;
    const { maxBodyBytes, address } = this.#core.settings;
    const url = address.origin + this.#sentTo;
    const { secrets } = this.#core.transport;
    if (isPlain(body, headers)) {
      const cleaned = secrets.cleaned(body);
      return this.#read({ url, status, headers, body: cleaned, packed: body, echoed: cleaned !== body, heard });
    }
    decodeBody(body, headers, maxBodyBytes, (fault, unpacked) => {
      const decoded = fault === undefined ? secrets.cleaned(unpacked) : nothing;
      if (status === 200 && fault !== undefined) this.#failed(payloadFailure(fault, nothing));
      else this.#read({ url, status, headers, body: decoded, packed: body, echoed: decoded !== unpacked, heard });
    });
  }

  overflowed(): void {
    this.#failed(payloadFailure('tooLarge', nothing));
  }

  broke(error: Error, begun: boolean, status: number): void {
    const failure = networkFailure(error, status);
    const stale = !begun && failure.kind === 'network' && this.#core.transport.wasInUse(error);
    this.#failed(stale ? { ...failure, stale } : failure);
  }

  #read(arrived: Arrived): void {
    if (this.#over) return;
    const response = readArrived(this.#core, this.#request, arrived);
    if (response.kind !== 'payload') return this.#failed(response);
    this.#end();
    if (this.#reserved !== undefined) this.#settle(false);
    if (response.pending !== undefined) return this.#owner.came(response, 0);
    const { url, status, headers, body, packed, echoed } = arrived;
    const { transport } = this.#core;
    const fromHeader = (this.#request.plan ?? this.#core.planOf(this.#request.operation)).nextInHeader;
    const clean = (given: string): string => transport.secrets.cleanedText(given);
    const whole = fromHeader === undefined ? response : withNext(fromHeader, response, headers, url, clean);
    const raw = this.#request.keep === true ? transport.withoutKey({ status, headers, body: packed, url }, body, echoed) : undefined;
    this.#owner.came(whole, body.length, raw);
  }

  #timedOut(): void {
    this.#exchange.abort();
    const nothing = this.#carried === undefined ? 'the key was not ready' : 'no whole response';
    const what = `${nothing} within ${this.#core.settings.timeoutMs} ms`;
    this.#failed({ kind: 'timeout', error: 'TimeoutError', what, advice: 'raise timeoutMs if the service is slow' });
  }

  #failed(failure: AttemptFailure): void {
    if (this.#over) return;
    this.#end();
    this.#settle(true);
    const unsent = this.#carried === undefined;
    const unread = failure.kind === 'throttled' || !this.#exchange.sent;
    const renewed = this.#isRenewed(failure);
    const more = { ...(unsent && { unsent }), ...(unread && { unread }), ...(renewed && { renewed }) };
    this.#owner.failed(unread || renewed ? { ...failure, ...more } : failure);
  }

  /** Whether the service refused a key that a retry renews. 403 says that even a new one is refused. */
  #isRenewed({ kind, details }: AttemptFailure): boolean {
    return kind === 'auth' && details?.status !== 403 && this.#carried !== undefined && this.#core.transport.refused(this.#carried);
  }

  #end(): void {
    this.#over = true;
    this.#cancelDeadline();
  }
}

/** What a response says of limits and failures. */
export interface Heard {
  /** What it says about the limit. */
  readonly refused: Refused;
  /** Reads the body by the rules of the service. */
  readonly judge: Judge | undefined;
}

/** A response that is here. */
interface Arrived {
  /** Where it came from, without the key. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decoded, without the key. */
  readonly body: Buffer;
  /** As it came. */
  readonly packed: Buffer;
  /** The key was in it. */
  readonly echoed: boolean;
  readonly heard: Heard;
}

/** What a response has: a page, a job that isn't done, or why it is neither. */
function readArrived(
  core: Pick<ClientCore, 'settings' | 'counts' | 'trouble' | 'spans' | 'transport'>,
  request: AttemptRequest,
  arrived: Arrived,
): Payload | AttemptFailure {
  const { service, policy, clock } = core.settings;
  const { operation, query } = request;
  const { status, headers, body, heard } = arrived;
  const { judge } = heard;
  const job = operation.spec.job && jobState(operation.spec.job, arrived, readerFor(operation, query));
  if (job?.is === 'pending') return pending(job, arrived, request, core);
  if (job?.is === 'failed') return { kind: 'final', error: 'EnvelopeError', what: job.what, details: { status } };
  if (status !== 200 && job === undefined) {
    const response = parseResponse(body, envelopeOf(service, operation), { judge, reader: readerFor(operation, query) });
    if (response.kind === 'payload' && response.verdict?.means === 'empty') return response;
    const worked = core.counts.responses > 0 || request.poll !== undefined;
    const failure = statusFailure(response, { ...arrived, refused: heard.refused, wall: clock.wall(), policy, worked });
    return hasRule(response) ? failure : core.trouble.judged(failure);
  }
  const response = core.spans.read(body, request, judge) ?? readBody(body, service, request, judge);
  if (response.kind === 'noList') return lackFailure(response.lack);
  if (response.kind !== 'payload') return payloadFailure(body.length === 0 ? 'empty' : response.kind, body, operation.spec.format);
  if (!response.good) {
    const failure = bodyFailure(response, { headers, wall: clock.wall(), policy });
    return hasRule(response) ? failure : core.trouble.judged(failure);
  }
  if (!core.trouble.isKeyGood) core.trouble.keyWorks(core.transport.keyDigest);
  return response;
}

/** Whether a rule says what the response means. */
function hasRule(response: Payload | Unreadable): boolean {
  return response.kind === 'payload' && response.verdict !== undefined;
}

/** The rows aren't there yet: where to ask for them next, and after how long; or why the service leaves that open. */
function pending(
  { address: given, moved = false }: PendingJob,
  { headers, url }: Arrived,
  { operation, poll }: AttemptRequest,
  { settings, transport }: Pick<ClientCore, 'settings' | 'transport'>,
): Payload | AttemptFailure {
  const { at = 'header location', everyMs = usualJob.everyMs } = operation.spec.job!;
  if (poll === undefined && given === undefined) {
    const what = `the response starts a job and names no address: there is no ${at}`;
    return { kind: 'final', error: 'PayloadError', what };
  }
  const path = moved || poll === undefined ? givenPath(given!, url, settings) : poll;
  if (path === undefined) return outside('the job', settings);
  const waitMs = parseRetryAfter(headers['retry-after'], headers.date, settings.clock.wall()) ?? (moved ? 0 : everyMs);
  const next = { address: transport.secrets.cleanedText(path), waitMs, moved };
  return { kind: 'payload', good: true, code: undefined, message: undefined, data: null, requestId: '', timestamp: 0, pending: next };
}
