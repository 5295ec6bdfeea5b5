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
import { bodyFailure, statusFailure, unspendable } from '../client/attempt/attemptFailures.ts';
import { isExhausted } from '../client/attempt/afterFailure.ts';
import type { Judge } from '../client/attempt/failurePolicy.ts';
import { applyLimitHeaders } from '../client/attempt/applyLimitHeaders.ts';
import type { WireRequest } from '../client/attempt/Transport.ts';
import { keyFailure } from '../client/keys/Renewed.ts';
import { decodeBody } from '../client/response/decodeBody.ts';
import { readerFor } from '../client/response/formats/readerFor.ts';
import { parseResponse, type Payload } from '../client/response/parseResponse.ts';
import { envelopeOf, paidFor, requestPrice } from '../contract/index.ts';
import type { FailureKind } from '../errors/index.ts';
import { failureKinds } from '../errors/TrawlerError.ts';
import type { Reserved } from '../ledger/Purse.ts';
import { endToEnd, isNotOf, type Forwarded } from './Forwarded.ts';

/** What the proxy knows of a request beyond what the client does. */
export interface Sending {
  readonly forwarded: Forwarded;
  /** The caller's body. A stream can be sent once. */
  readonly body: WireRequest['body'];
  /** Whether a value where the key belongs is the caller's own, and stays. */
  readonly isOwnKey: (value: string) => boolean;
  /** Hears why an attempt failed. */
  readonly heard: (kind: FailureKind) => void;
  /** Gets a whole response, to store it. undefined: it can't be stored. */
  readonly keep: ((status: number, headers: readonly string[], body: Buffer) => void) | undefined;
}

const maxRefusedBytes = 65_536;
const came: Payload = { kind: 'payload', good: true, code: undefined, message: undefined, data: {}, requestId: '', timestamp: 0 };

/**
 * Sends a caller's request once, and passes the response on while it comes. A refusal that may pass is withheld: the client tries again.
 * What must be looked at as a whole is collected first: a packed body, in which the key can't be seen, and one that a rule of the service reads.
 */
export class ForwardAttempt implements RunningAttempt, Dispatcher.DispatchHandler {
  readonly startedAt: number;
  readonly #core: ClientCore;
  readonly #owner: AttemptOwner;
  readonly #request: AttemptRequest;
  readonly #sending: Sending;
  #cancelDeadline: () => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #reserved: Reserved | undefined;
  #over = false;
  #status = 0;
  #text: string | undefined;
  #headers: IncomingHttpHeaders = {};
  #raw: readonly string[] = [];
  #judge: Judge | undefined;
  #noneLeft: ReturnType<typeof applyLimitHeaders> = { noneLeft: false };
  #how: 'pass' | 'collect' | 'withhold' = 'pass';
  #parts: Buffer[] = [];
  #bytes = 0;
  #mask: ((part: Buffer, isLast: boolean) => Buffer) | undefined;

  constructor(core: ClientCore, owner: AttemptOwner, request: AttemptRequest, sending: Sending) {
    this.#core = core;
    this.#owner = owner;
    this.#request = request;
    this.#sending = sending;
    this.startedAt = core.settings.clock.now();
  }

  send(): void {
    this.#wait();
    const { forwarded, body, isOwnKey } = this.#sending;
    const { transport } = this.#core;
    const { method, target: path, headers } = forwarded;
    void Promise.resolve()
      .then(() => transport.keyed({ method: method as Dispatcher.HttpMethod, path, headers, body }, this.#request.operation, isOwnKey))
      .then(
        (ready) => this.#reserve(ready),
        (error: unknown) => this.#failed({ ...keyFailure(error), kind: 'away', unsent: true }),
      );
  }

  abort(): boolean {
    this.#end(false);
    this.#controller?.abort(new Error('no longer wanted'));
    return this.#controller !== undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('no longer wanted'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders, text?: string): void {
    if (status < 200 || this.#over) return;
    const { settings, transport } = this.#core;
    const { secrets } = transport;
    const at = settings.clock.wall();
    this.#status = status;
    this.#text = text === '' ? undefined : text;
    this.#headers = headers;
    const raw = (controller.rawHeaders as readonly (Buffer | string)[]).map((part) => part.toString('latin1' as never));
    this.#raw = endToEnd(raw).map((part) => secrets.cleanedText(part));
    this.#judge = settings.policy.judge?.(status, headers, at, this.#request.operation.spec);
    this.#noneLeft = applyLimitHeaders(
      this.#core,
      this.#core.planOf(this.#request.operation).lane,
      this.#request,
      { status, headers, at },
      this.#owner,
    );
    const isPacked = secrets.clean && headers['content-encoding'] !== undefined && this.#sending.forwarded.method !== 'HEAD';
    if (this.#isRefusal({ status })) this.#how = 'withhold';
    else if (this.#judge !== undefined || isPacked) this.#how = 'collect';
    else {
      if (secrets.clean) this.#mask = secrets.masker();
      this.#begin(this.#raw);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#over) return;
    this.#bytes += part.length;
    if (this.#how === 'withhold') {
      if (this.#bytes - part.length < maxRefusedBytes) this.#parts.push(part);
      return;
    }
    this.#wait();
    if (this.#how === 'collect') {
      this.#parts.push(part);
      if (this.#bytes > this.#core.settings.maxBodyBytes) this.#tooLarge();
    } else this.#pass(this.#mask?.(part, false) ?? part, controller);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    const body = Buffer.concat(this.#parts);
    if (this.#how === 'pass') {
      const rest = this.#mask?.(Buffer.alloc(0), true) ?? Buffer.alloc(0);
      this.#pass(rest, undefined);
      this.#complete(this.#raw, this.#sending.keep === undefined ? body : Buffer.concat(this.#parts));
    } else {
      decodeBody(body, this.#headers, this.#core.settings.maxBodyBytes, (fault, plain) => {
        if (this.#over) return;
        const decoded = fault === undefined ? plain : Buffer.alloc(0);
        const failure = this.#failureIn(decoded);
        if (failure !== undefined) return this.#refused(failure, body, decoded);
        const { secrets } = this.#core.transport;
        // What can't be unpacked can't be looked at.
        const isHidden = secrets.clean && (fault !== undefined || secrets.cleaned(decoded) !== decoded) && this.#headers['content-encoding'] !== undefined; // prettier-ignore
        if (isHidden && fault !== undefined && body.length > 0) return this.#tooLarge();
        const shown = isHidden ? secrets.cleaned(decoded) : secrets.clean && this.#headers['content-encoding'] === undefined ? secrets.masker()(body, true) : body; // prettier-ignore
        const length = ['content-length', String(shown.length)];
        const headers = isHidden ? [...this.#raw.filter(isNotOf(['content-encoding', 'content-length'])), ...length] : this.#raw;
        this.#begin(headers);
        this.#parts = [];
        this.#pass(shown, undefined);
        this.#complete(headers, shown);
      });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    const { forwarded, body } = this.#sending;
    const failure = networkFailure(error, this.#status);
    const stale = this.#status === 0 && failure.kind === 'network' && this.#core.transport.wasInUse(error);
    const isFinal = forwarded.begun || (typeof body === 'object' && !Buffer.isBuffer(body));
    this.#failed(isFinal ? { ...failure, kind: 'away' } : stale ? { ...failure, stale } : failure);
  }

  #reserve(ready: WireRequest): void {
    if (this.#over) return;
    const found = this.#core.purse?.take(this.#request.operation.name);
    const go = (reserved: Awaited<typeof found>): void => {
      if (reserved !== undefined && 'because' in reserved) return this.#failed(unspendable(reserved));
      this.#reserved = reserved;
      if (this.#over) return this.#settle(false);
      this.#owner.sending();
      try {
        this.#core.transport.send(ready, this);
      } catch (error) {
        this.onResponseError(undefined as never, error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (found instanceof Promise) void found.then(go);
    else go(found);
  }

  /** Whether a retry may help, as far as the status and the headers say. */
  #isRefusal({ status }: { readonly status: number }): boolean {
    const { body } = this.#sending;
    if (typeof body === 'object' && !Buffer.isBuffer(body)) return false; // it can't be sent again
    if (status < 400) return false;
    const failure = this.#failureIn(Buffer.alloc(0));
    return failure !== undefined;
  }

  /** Why the request is tried again. undefined: the response is passed on. */
  #failureIn(body: Buffer): AttemptFailure | undefined {
    const { service, policy, clock } = this.#core.settings;
    const { operation, query } = this.#request;
    if (this.#status < 400 && this.#judge === undefined) return undefined;
    const read = parseResponse(body, envelopeOf(service, operation), { judge: this.#judge, reader: readerFor(operation, query) });
    const context = { headers: this.#headers, wall: clock.wall(), policy };
    const more = { ...context, status: this.#status, body, worked: true, refused: this.#noneLeft };
    const isGood = this.#status === 200 && (read.kind !== 'payload' || read.good);
    if (isGood) return undefined;
    const failure = this.#status === 200 ? bodyFailure(read as Payload, context) : statusFailure(read, more);
    const { retries, passes } = failureKinds[failure.kind];
    return retries > 0 && passes && !isExhausted(failure) ? failure : undefined;
  }

  /** Tries again. Should that not help, the caller gets this response, unpacked and without the key. */
  #refused(failure: AttemptFailure, body: Buffer, decoded: Buffer): void {
    const { secrets } = this.#core.transport;
    const isPacked = this.#headers['content-encoding'] !== undefined;
    const headers = this.#raw.filter(isNotOf(isPacked ? ['content-length', 'content-encoding'] : ['content-length']));
    const shown = isPacked ? secrets.cleaned(decoded) : secrets.masker()(body, true);
    this.#sending.forwarded.withhold({ status: this.#status, headers, body: shown });
    this.#failed(failure.kind === 'throttled' ? { ...failure, unread: true } : failure);
  }

  #begin(headers: readonly string[]): void {
    const { service } = this.#core.settings;
    const { operation, number } = this.#request;
    const cost = paidFor(service.price, this.#headers, false) ?? requestPrice(service.price, operation.name) ?? 0;
    try {
      this.#sending.forwarded.begin(this.#status, this.#text, headers, { store: 'miss', cost, attempts: number });
    } catch {
      this.#tooLarge(); // a header that can't be passed on
    }
  }

  #pass(part: Buffer, controller: Dispatcher.DispatchController | undefined): void {
    if (this.#over) return;
    if (this.#sending.keep !== undefined && this.#bytes <= this.#core.settings.maxBodyBytes) this.#parts.push(part);
    if (this.#sending.forwarded.write(part, () => controller?.resume()) || controller === undefined) return;
    controller.pause();
  }

  #complete(headers: readonly string[], body: Buffer): void {
    if (this.#over) return;
    const { forwarded, keep } = this.#sending;
    if (this.#bytes <= this.#core.settings.maxBodyBytes) keep?.(this.#status, headers, body);
    forwarded.end();
    this.#end(false);
    this.#owner.came(came, this.#bytes);
  }

  /** Neither passed on nor tried again. */
  #tooLarge(): void {
    this.#controller?.abort(new Error('no longer wanted'));
    const what = "the response can't be passed on: it is too large to be looked at for the key, or isn't HTTP";
    this.#failed({ kind: 'final', error: 'PayloadError', what, details: { status: this.#status } });
  }

  /** One deadline until a response begins. Then each part has as long, so a caller that reads nothing ends it. */
  #wait(): void {
    this.#cancelDeadline();
    const { clock, timeoutMs } = this.#core.settings;
    this.#cancelDeadline = clock.after(timeoutMs, () => {
      this.#controller?.abort(new Error('no longer wanted'));
      const kind = this.#sending.forwarded.begun ? 'away' : 'timeout';
      this.#failed({ kind, error: 'TimeoutError', what: `no whole response within ${timeoutMs} ms` });
    });
  }

  #failed(failure: AttemptFailure): void {
    if (this.#over) return;
    if (this.#sending.forwarded.begun) this.#sending.forwarded.cut();
    this.#end(true);
    this.#sending.heard(failure.kind);
    const unread = failure.unread === true || this.#controller === undefined;
    this.#owner.failed(unread ? { ...failure, unread } : failure);
  }

  #end(failed: boolean): void {
    this.#over = true;
    this.#cancelDeadline();
    this.#settle(failed);
  }

  #settle(failed: boolean): void {
    const reserved = this.#reserved;
    if (reserved === undefined) return;
    this.#reserved = undefined;
    const { operation, number } = this.#request;
    const sent = this.#controller !== undefined;
    this.#core.purse!.settle(reserved, { operation: operation.name, sent, failed, isRetry: number > 1, headers: this.#headers });
  }
}
