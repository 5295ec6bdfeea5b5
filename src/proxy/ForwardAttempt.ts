import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ClientCore } from '../client/ClientCore.ts';
import {
  networkFailure,
  type AttemptFailure,
  type AttemptOwner,
  type AttemptRequest,
  type RunningAttempt,
} from '../client/attempt/AttemptFailure.ts';
import { isExhausted } from '../client/attempt/afterFailure.ts';
import { applyHeaders, type AppliedHeaders } from '../client/attempt/applyHeaders.ts';
import { Payment, pricedBy } from '../client/attempt/Payment.ts';
import { readArrived } from '../client/attempt/readArrived.ts';
import type { Proof } from '../client/keys/Credential.ts';
import { keyFailure } from '../client/keys/Renewed.ts';
import { decodeBody } from '../contract/decodeBody.ts';
import type { Payload } from '../client/response/parseResponse.ts';
import { paidFor, requestPrice } from '../contract/index.ts';
import type { FailureKind } from '../errors/index.ts';
import { failureKinds } from '../errors/TrawlerError.ts';
import { endToEnd, isNotOf, type Forwarded, type Passed } from './Forwarded.ts';

interface ForwardOptions {
  /** Whether a value where the key belongs is the caller's own, and stays. */
  readonly isOwnKey: (value: string) => boolean;
  /** Hears why an attempt failed. */
  readonly heard: (kind: FailureKind) => void;
  /** Hears that the service refused the key, with this status. */
  readonly keyRefused: (status: number) => void;
}

const nothing = Buffer.alloc(0);
const came: Payload = { kind: 'payload', good: true, code: undefined, message: undefined, data: {}, requestId: '', timestamp: 0 };

/**
 * Sends a caller's request once, and passes the response on while it comes. What must be looked at as a whole is collected first: a
 * compressed body, in which the key can't be seen, a response that may be a refusal, and one whose operation the service describes. A
 * failure that may pass is withheld, and the client tries again.
 */
export class ForwardAttempt implements RunningAttempt, Dispatcher.DispatchHandler {
  readonly startedAt: number;
  readonly #core: ClientCore;
  readonly #owner: AttemptOwner;
  readonly #request: AttemptRequest;
  readonly #forwarded: Forwarded;
  readonly #options: ForwardOptions;
  readonly #payment: Payment;
  #cancelDeadline: () => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #carried: Proof | undefined;
  #isOver = false;
  #arriving:
    | (Omit<Passed, 'body'> & { readonly all: IncomingHttpHeaders; readonly applied: AppliedHeaders; readonly isJudged: boolean })
    | undefined;
  #parts: Buffer[] = [];
  /** The response, if it was read as one of its operation. It may say what the request has cost. */
  #read: Payload | undefined;
  #bytes = 0;
  /** Hides the key in what is passed on while it comes. undefined: the response is collected. */
  #mask: ((part: Buffer, isLast: boolean) => Buffer) | undefined;

  constructor(core: ClientCore, owner: AttemptOwner, request: AttemptRequest, options: ForwardOptions) {
    this.#core = core;
    this.#owner = owner;
    this.#request = request;
    this.#forwarded = request.query as Forwarded;
    this.#options = options;
    this.#payment = new Payment(core.ledger, request);
    this.startedAt = core.settings.clock.now();
  }

  send(): void {
    void this.#send();
  }

  async #send(): Promise<void> {
    this.#wait();
    const { transport } = this.#core;
    const { method, target: path, headers, body } = this.#forwarded;
    const asked = { method: method as Dispatcher.HttpMethod, path, headers, body };
    try {
      const ready = await transport.keyed(asked, this.#request.operation, this.#options.isOwnKey);
      if (this.#isOver) return;
      this.#payment.reserve((failure) => {
        if (failure !== undefined) return this.#failed({ ...failure, unsent: true });
        this.#carried = ready.carried;
        this.#owner.sending();
        try {
          transport.send(ready, this);
        } catch (error) {
          this.onResponseError(undefined, error as Error);
        }
      });
    } catch (error) {
      const failure = keyFailure(error);
      // The client would send nothing more.
      this.#failed({ ...failure, kind: failure.kind === 'auth' ? 'away' : failure.kind, unsent: true });
    }
  }

  abort(): boolean {
    this.#end(false);
    this.#controller?.abort(new Error('no longer wanted'));
    return this.#controller !== undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('no longer wanted'));
    else this.#forwarded.attempts += 1;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, all: IncomingHttpHeaders, text?: string): void {
    if (status < 200 || this.#isOver) return;
    const { secrets } = this.#core.transport;
    const { method, isKnown, isRepeatable } = this.#forwarded;
    const raw = (controller.rawHeaders as readonly (Buffer | string)[]).map((part) => part.toString('latin1' as never));
    const headers = endToEnd(raw).map((part) => secrets.cleanedText(part));
    const applied = applyHeaders(this.#core, this.#request, { status, headers: all }, this.#owner);
    const isJudged = isRepeatable && (status === 200 ? isKnown && method !== 'HEAD' : status >= 400);
    this.#arriving = { status, text: text === '' ? undefined : text, headers, all, applied, isJudged };
    if (!isJudged && !this.#isPacked) this.#stream();
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#isOver) return;
    this.#wait();
    this.#bytes += part.length;
    if (this.#mask !== undefined) return this.#pass(this.#mask(part, false), controller);
    this.#parts.push(part);
    if (this.#bytes <= this.#core.settings.maxBodyBytes) return;
    if (this.#isPacked) return this.#unseen();
    const begun = Buffer.concat(this.#parts.splice(0));
    this.#stream();
    this.#pass(this.#mask!(begun, false), controller);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    if (this.#mask !== undefined) {
      this.#pass(this.#mask(nothing, true));
      return this.#complete({ ...this.#arriving!, body: Buffer.concat(this.#parts) }, this.#arriving!.status >= 400);
    }
    const body = Buffer.concat(this.#parts.splice(0));
    decodeBody(body, this.#arriving!.all, this.#core.settings.maxBodyBytes, (fault, plain) => {
      if (!this.#isOver) this.#decoded(body, fault === undefined ? plain : undefined);
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#isOver) return;
    const { begun, isRepeatable } = this.#forwarded;
    const { status } = this.#arriving ?? { status: 0 };
    const failure = networkFailure(error, status);
    const stale = status === 0 && failure.kind === 'network' && this.#core.transport.wasInUse(error);
    this.#failed(begun || !isRepeatable ? { ...failure, kind: 'away' } : stale ? { ...failure, stale } : failure);
  }

  /** The response is compressed, so a key in it can't be seen. */
  get #isPacked(): boolean {
    const isPacked = this.#arriving!.all['content-encoding'] !== undefined && this.#forwarded.method !== 'HEAD';
    return isPacked && this.#core.transport.secrets.clean;
  }

  /** A response is here as a whole. `plain`: decompressed. undefined: that failed. */
  #decoded(body: Buffer, plain: Buffer | undefined): void {
    const passed = this.#withoutKey(body, plain);
    if (passed === undefined) return this.#unseen();
    const failure = this.#arriving!.isJudged ? this.#failureIn(plain ?? nothing) : undefined;
    if (mayPass(failure)) {
      this.#forwarded.withheld = passed;
      return this.#failed(failure!);
    }
    // The client would send nothing more.
    if (failure !== undefined && isExhausted(failure)) return this.#failed({ ...failure, kind: 'final' });
    const isError = failure !== undefined && failure.kind !== 'noList';
    if (failure?.kind === 'auth') this.#options.keyRefused(passed.status);
    this.#begin(passed, isError);
    this.#pass(passed.body);
    this.#complete(passed, isError);
  }

  /** Why a response is no page of its operation, as the client would say. undefined: it is one, or a job that goes on. */
  #failureIn(body: Buffer): AttemptFailure | undefined {
    const { status, all: headers, applied } = this.#arriving!;
    const url = this.#core.settings.address.origin + this.#forwarded.path;
    const found = readArrived(this.#core, this.#request, { url, status, headers, body, packed: body, echoed: false, applied });
    if (found.kind === 'payload') {
      this.#read = found;
      return undefined;
    }
    const isRenewed = found.kind === 'auth' && status === 401 && !this.#forwarded.isRenewed && this.#core.transport.refused(this.#carried!);
    if (isRenewed) this.#forwarded.isRenewed = true;
    return isRenewed ? { ...found, renewed: true } : found;
  }

  /** The response without the key. If it was compressed with the key in it, it is passed on decompressed. undefined: not checkable. */
  #withoutKey(body: Buffer, plain: Buffer | undefined): Passed | undefined {
    const { secrets } = this.#core.transport;
    const { status, text, headers } = this.#arriving!;
    if (!this.#isPacked) return { status, text, headers, body: secrets.masker()(body, true) };
    if (plain === undefined) return body.length === 0 ? { status, text, headers, body } : undefined;
    const cleaned = secrets.cleaned(plain);
    if (cleaned === plain) return { status, text, headers, body };
    const left = headers.filter(isNotOf(['content-encoding', 'content-length']));
    return { status, text, headers: [...left, 'content-length', String(cleaned.length)], body: cleaned };
  }

  #stream(): void {
    this.#mask = this.#core.transport.secrets.masker();
    this.#begin(this.#arriving!, this.#arriving!.status >= 400);
  }

  #begin(passed: Omit<Passed, 'body'>, isError: boolean): void {
    this.#forwarded.cost += this.#cost(isError);
    try {
      this.#forwarded.begin(passed);
    } catch {
      this.#unseen(); // a header that can't be passed on
    }
  }

  #pass(part: Buffer, controller?: Dispatcher.DispatchController): void {
    if (this.#isOver) return;
    if (this.#forwarded.keep !== undefined && this.#bytes <= this.#core.settings.maxBodyBytes) this.#parts.push(part);
    this.#forwarded.write(part, controller);
  }

  #complete(passed: Passed, isError: boolean): void {
    if (this.#isOver) return;
    if (!isError && this.#bytes <= this.#core.settings.maxBodyBytes) this.#forwarded.keep?.(passed);
    this.#forwarded.end();
    this.#end(isError);
    this.#owner.came(came, this.#bytes);
  }

  /** The response can't be checked for the key, so it is neither passed on nor requested again. */
  #unseen(): void {
    this.#controller?.abort(new Error('no longer wanted'));
    const what = "the response can't be passed on: it is too large to be looked at for the key, or isn't HTTP";
    this.#failed({ kind: 'final', error: 'PayloadError', what });
  }

  /** One deadline until a response begins, then the same for each part. So a caller that reads nothing ends it. */
  #wait(): void {
    this.#cancelDeadline();
    const { clock, timeoutMs } = this.#core.settings;
    this.#cancelDeadline = clock.after(timeoutMs, () => {
      this.#controller?.abort(new Error('no longer wanted'));
      const kind = this.#forwarded.begun ? 'away' : 'timeout';
      this.#failed({ kind, error: 'TimeoutError', what: `no whole response within ${timeoutMs} ms` });
    });
  }

  #failed(failure: AttemptFailure): void {
    if (this.#isOver) return;
    if (this.#forwarded.begun) this.#forwarded.cut();
    this.#end(true);
    this.#options.heard(failure.kind);
    const unread = failure.kind === 'throttled' || this.#controller === undefined;
    this.#owner.failed(unread ? { ...failure, unread } : failure);
  }

  #end(failed: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelDeadline();
    const sent = this.#controller !== undefined;
    if (sent && !this.#forwarded.begun) this.#forwarded.cost += this.#cost(failed);
    this.#payment.settle({ sent, failed }, this.#arriving?.all ?? {}, this.#read);
  }

  #cost(failed: boolean): number {
    const { price } = this.#core.settings.service;
    const { operation } = this.#request;
    const priced = pricedBy(this.#request, this.#arriving?.all ?? {}, this.#read);
    return paidFor(price, operation, priced, failed) ?? requestPrice(price, operation) ?? 0;
  }
}

/** Whether a retry may help. */
function mayPass(failure: AttemptFailure | undefined): boolean {
  if (failure === undefined || isExhausted(failure)) return false;
  const { retries, passes } = failureKinds[failure.kind];
  return failure.renewed === true || (retries > 0 && passes);
}
