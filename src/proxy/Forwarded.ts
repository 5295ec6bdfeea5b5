import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Subscription } from 'rxjs';
import type { Dispatcher } from 'undici';
import type { WireRequest } from '../client/attempt/Transport.ts';
import { connectionHeaders, type Operation } from '../contract/index.ts';

/** A response that is passed on. */
export interface Passed {
  readonly status: number;
  readonly text?: string | undefined;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A request of a caller on its way to the service and back. It is the query of its call. */
export class Forwarded {
  readonly method: string;
  /** The path with what is behind it. It may have a key of the caller. */
  readonly target: string;
  readonly caller: string;
  readonly operation: Operation;
  /** A description knows the operation. */
  readonly isKnown: boolean;
  /** A description has prices. Without them nobody knows what a request costs. */
  readonly isPriced: boolean;
  /** Ends with the response, or with a refusal. Then nothing waits for it any longer, and what is in flight is aborted. */
  readonly over = new Subscription();
  body: WireRequest['body'];
  /** Stores the response. undefined: it isn't stored. */
  keep: ((response: Passed) => void) | undefined;
  /** The last response that a retry followed. */
  withheld: Passed | undefined;
  isHit = false;
  /** The service refused the key, and a new one was made. */
  isRenewed = false;
  /** Requests sent for it, and what they cost. */
  attempts = 0;
  cost = 0;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** Kept here because Node removes it from the request when that ends. */
  readonly #socket: Socket;
  readonly #at = performance.now();

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { target, caller, operation, isKnown, isPriced }: Pick<Forwarded, 'target' | 'caller' | 'operation' | 'isKnown' | 'isPriced'>,
  ) {
    this.method = request.method!;
    this.target = target;
    this.caller = caller;
    this.operation = operation;
    this.isKnown = isKnown;
    this.isPriced = isPriced;
    this.#request = request;
    this.#response = response;
    this.#socket = request.socket;
    response.sendDate = false;
  }

  get path(): string {
    return this.target.replace(/\?.*$/s, '');
  }

  /** What errors show. */
  toJSON(): object {
    return { method: this.method, path: this.path };
  }

  /** Names and values in turn, without those of the connection, and of the proxy. */
  get headers(): readonly string[] {
    return endToEnd(this.#request.rawHeaders).filter(isNotOf(['host', 'expect', 'x-trawler-caller']));
  }

  /** '' without one. */
  header(name: string): string {
    return String(this.#request.headers[name] ?? '');
  }

  get waitedMs(): number {
    return performance.now() - this.#at;
  }

  /** The caller is gone. If the response waited behind another one on the connection, Node emits no event for that. */
  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  /** The response has begun, so nothing else can be said. */
  get begun(): boolean {
    return this.#response.headersSent;
  }

  /** Its body isn't a stream, which can be sent once. */
  get isRepeatable(): boolean {
    return !(this.body instanceof Readable);
  }

  /** Reads the body, if it is short. A longer one stays a stream. */
  async read(maxBytes: number): Promise<void> {
    const request = this.#request;
    if (request.headers['transfer-encoding'] === undefined && !(Number(request.headers['content-length']) > 0)) return;
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      parts.push(part);
      if ((bytes += part.length) > maxBytes) break;
    }
    const begun = Buffer.concat(parts);
    if (bytes > maxBytes) request.unshift(begun);
    this.body = bytes > maxBytes ? request : begun;
  }

  begin({ status, text, headers }: Omit<Passed, 'body'>): void {
    const said = {
      store: this.isHit ? 'hit' : 'miss',
      ...(this.isPriced ? { cost: this.cost } : {}),
      'waited-ms': this.waitedMs.toFixed(0),
      attempts: this.attempts,
    };
    const pairs = Object.entries(said).flatMap(([name, value]) => [`x-trawler-${name}`, String(value)]);
    this.#response.writeHead(status, text, [...headers, ...pairs]);
    // Node would write a header that isn't ASCII as UTF-8 here. With a body it goes as it came.
    if (!headers.some((part) => /[\u0080-\u00ff]/.test(part))) this.#response.flushHeaders();
  }

  /** Writes a part of the body. While the caller is slow, the service's response is paused. */
  write(part: Buffer, controller?: Dispatcher.DispatchController): void {
    if (part.length === 0 || this.#response.write(part) || controller === undefined) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  end(): void {
    this.#response.end();
  }

  /** A response that broke off must not look complete. */
  cut(): void {
    this.#response.destroy();
  }

  /** Gives a whole response: one that is stored, or that was withheld. */
  give(response: Passed): void {
    const length = ['content-length', String(response.body.length)];
    this.begin({ ...response, headers: [...response.headers.filter(isNotOf(['content-length'])), ...length] });
    this.#response.end(this.method === 'HEAD' ? undefined : response.body);
  }

  /** Gives a response of the proxy's own: why there is none of the service. */
  refuse(status: number, error: string, message: string, retryAfterMs?: number): void {
    this.over.unsubscribe();
    if (this.begun) return this.cut();
    const after = retryAfterMs === undefined ? [] : ['retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000)))];
    const body = Buffer.from(`${JSON.stringify({ error, message, proxy: 'trawler' })}\n`);
    this.give({ status, headers: ['content-type', 'application/json', ...after], body });
  }
}

/** Headers without those that belong to the connection. */
export function endToEnd(headers: readonly string[]): readonly string[] {
  const listed = headers.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() === 'connection' ? headers[at + 1]!.toLowerCase().split(/\s*,\s*/) : [],
  );
  return headers.filter(isNotOf([...connectionHeaders, ...listed]));
}

/** Keeps pairs with other names. */
export function isNotOf(names: readonly string[]): (text: string, at: number, all: readonly string[]) => boolean {
  const left = new Set(names);
  return (_, at, all) => !left.has(all[at - (at % 2)]!.toLowerCase());
}
