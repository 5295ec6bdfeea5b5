import type { IncomingHttpHeaders } from 'node:http';
import { decodeBody, isPlain } from '../../contract/decodeBody.ts';
import type { ClientCore } from '../ClientCore.ts';
import { nextAddress, requestPath } from '../../contract/index.ts';
import { givenPath, outside } from './nextPath.ts';
import { type AttemptOwner, type AttemptRequest, type RunningAttempt, type AttemptFailure, networkFailure } from './AttemptFailure.ts';
import { payloadFailure } from './attemptFailures.ts';
import { Exchange, type ExchangeReceiver } from './Exchange.ts';
import { Payment } from './Payment.ts';
import type { Proof } from '../keys/Credential.ts';
import type { WireRequest } from './Transport.ts';
import { keyFailure } from '../keys/Renewed.ts';
import { applyHeaders, type AppliedHeaders } from './applyHeaders.ts';
import { withHeaders } from '../response/ResponsePage.ts';
import { type Arrived, readArrived } from './readArrived.ts';
import type { Payload } from '../response/parseResponse.ts';

const nothing = Buffer.alloc(0);

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
  /** undefined without a ledger. */
  readonly #payment: Payment | undefined;
  /** Without the key. */
  #sentTo = '';
  #carried: Proof | undefined;
  #headers: IncomingHttpHeaders = {};
  #over = false;

  constructor(core: ClientCore, owner: AttemptOwner, request: AttemptRequest) {
    const { clock, timeoutMs, maxBodyBytes } = core.settings;
    this.#core = core;
    this.#owner = owner;
    this.#request = request;
    this.startedAt = clock.now();
    this.#exchange = new Exchange(this, maxBodyBytes);
    this.#payment = core.ledger && new Payment(core.ledger, request);
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
    if (!(ready instanceof Promise)) return this.#reserve(ready);
    ready.then(
      (made) => this.#reserve(made),
      (error: unknown) => this.#failed(keyFailure(error)),
    );
  }

  #reserve(ready: WireRequest): void {
    if (this.#over) return;
    if (this.#payment === undefined) return this.#dispatch(ready);
    this.#payment.reserve((failure) => (failure === undefined ? this.#dispatch(ready) : this.#failed(failure)));
  }

  #settle(payment: Payment, failed: boolean, response?: Payload): void {
    payment.settle({ sent: this.#exchange.sent, failed }, this.#headers, response);
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
    if (this.#payment !== undefined) this.#settle(this.#payment, false);
    return this.#exchange.sent;
  }

  responded(status: number, headers: IncomingHttpHeaders, body: Buffer): void {
    this.#headers = headers;
    const applied = applyHeaders(this.#core, this.#request, { status, headers }, this.#owner);
    // A body that may ask for a pause is read now. Other bodies may be read after the next request has gone.
    const mayPause = headers['retry-after'] !== undefined || applied.judge !== undefined;
    if (status !== 200 || mayPause || !this.#owner.arrived()) return this.#decode(status, headers, body, applied);
    this.#cancelDeadline();
    setImmediate(() => this.#decode(status, headers, body, applied));
  }

  #decode(status: number, headers: IncomingHttpHeaders, body: Buffer, applied: AppliedHeaders): void {
    if (this.#over) return;
    const { maxBodyBytes, address } = this.#core.settings;
    const url = address.origin + this.#sentTo;
    const { secrets } = this.#core.transport;
    if (isPlain(body, headers)) {
      const cleaned = secrets.cleaned(body);
      return this.#read({ url, status, headers, body: cleaned, packed: body, echoed: cleaned !== body, applied });
    }
    decodeBody(body, headers, maxBodyBytes, (fault, unpacked) => {
      const decoded = fault === undefined ? secrets.cleaned(unpacked) : nothing;
      if (status === 200 && fault !== undefined) this.#failed(payloadFailure(fault, nothing));
      else this.#read({ url, status, headers, body: decoded, packed: body, echoed: decoded !== unpacked, applied });
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
    if (this.#payment !== undefined) this.#settle(this.#payment, false, response);
    if (response.pending !== undefined) return this.#owner.came(response, 0);
    const { url, status, headers, body, packed, echoed } = arrived;
    const { transport } = this.#core;
    const { pageHeaders } = this.#request.plan ?? this.#core.planOf(this.#request.operation);
    const clean = (given: string): string => transport.secrets.cleanedText(given);
    const whole = pageHeaders === undefined ? response : withHeaders(pageHeaders, response, headers, url, clean);
    const raw = this.#request.keep === true ? transport.withoutKey({ status, headers, body: packed, url }, body, echoed) : undefined;
    this.#owner.came(whole, body.length, raw);
  }

  #timedOut(): void {
    this.#exchange.abort();
    const missing = this.#carried === undefined ? 'the key was not ready' : 'no whole response';
    const what = `${missing} within ${this.#core.settings.timeoutMs} ms`;
    this.#failed({ kind: 'timeout', error: 'TimeoutError', what, advice: 'raise timeoutMs if the service is slow' });
  }

  #failed(failure: AttemptFailure): void {
    if (this.#over) return;
    this.#end();
    if (this.#payment !== undefined) this.#settle(this.#payment, true);
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
