import type { Dispatcher } from 'undici';

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** Receives the result of an exchange: exactly one of these, once, and none after `abort`. */
export interface ExchangeReceiver {
  responded(status: number, headers: Headers, body: Buffer): void;
  /** The body is larger than the cap. */
  overflowed(status: number): void;
  /** `begun`: part of a response had arrived. `status` is 0 until known. */
  broke(error: Error, begun: boolean, status: number): void;
}

const errorBodyBytes = 65_536;

/**
 * One request and its response, as reported by undici. The body is read as it arrives, because a socket shouldn't be
 * paused, and only up to a cap, so that an endless body can't fill memory.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #receiver: ExchangeReceiver;
  readonly #maxBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;
  #sent = false;
  #begun = false;
  #status = 0;
  #headers: Headers = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(receiver: ExchangeReceiver, maxBytes: number) {
    this.#receiver = receiver;
    this.#maxBytes = maxBytes;
  }

  /** A socket has taken the request. */
  get sent(): boolean {
    return this.#sent;
  }

  /** Ends the exchange and drops its socket. */
  abort(): void {
    this.#over = true;
    this.#controller?.abort(new Error('no longer wanted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('no longer wanted'));
    else this.#sent = true;
  }

  /** The first byte of a response. Only undici's own connections report it. */
  onResponseStarted(): void {
    this.#begun = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#over) return;
    this.#status = status;
    this.#headers = headers;
    if (status === 200 && Number(headers['content-length']) > this.#maxBytes) this.#overflow();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#status === 200) {
      if (this.#size > this.#maxBytes) this.#overflow();
    } else if (this.#size > errorBodyBytes) {
      this.abort(); // the useful part of such a body is its beginning
      this.#receiver.responded(this.#status, this.#headers, Buffer.concat(this.#chunks));
    }
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#size);
    this.#receiver.responded(this.#status, this.#headers, body);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    this.#over = true;
    const response = responseIn(error);
    if (response === undefined) this.#receiver.broke(error, this.#begun, this.#status);
    else this.#receiver.responded(response.status, response.headers, response.body);
  }

  #overflow(): void {
    this.abort();
    this.#receiver.overflowed(this.#status);
  }
}

/** The response that an interceptor turned into an error, as `responseError` and `retry` of undici do. */
function responseIn(error: Error): { readonly status: number; readonly headers: Headers; readonly body: Buffer } | undefined {
  const {
    statusCode,
    headers,
    body = '',
  } = error as { readonly statusCode?: unknown; readonly headers?: unknown; readonly body?: unknown };
  if (typeof statusCode !== 'number' || statusCode < 400 || typeof headers !== 'object' || headers === null) return undefined;
  // The body was read as text. If it was compressed, that text is useless.
  const { 'content-encoding': encoding, ...others } = headers as Headers;
  const text = encoding !== undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return { status: statusCode, headers: others, body: Buffer.from(text) };
}
