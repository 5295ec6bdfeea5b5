import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Headers that belong to one connection. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'http2-settings'],
]);

/** A response of the service that was not passed on. */
export interface Withheld {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** What the proxy says of a response. */
export interface Notes {
  readonly store: 'hit' | 'miss';
  readonly cost: number;
  readonly attempts: number;
}

/** A request of a caller on its way to the service and back. As a query it shows its method and its path, without what is behind a `?`. */
export class Forwarded {
  readonly method: string;
  readonly path: string;
  readonly #target: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #at = performance.now();
  /** The last response that a retry followed. */
  #withheld: Withheld | undefined;
  #drained: (() => void) | undefined;
  #cost = 0;

  constructor(request: IncomingMessage, response: ServerResponse, target: string) {
    this.method = request.method!;
    this.path = target.replace(/\?.*$/s, '');
    this.#target = target;
    this.#request = request;
    this.#response = response;
    response.sendDate = false;
    response.on('drain', () => this.#drained?.());
  }

  /** The path with what is behind it. It may have a key of the caller. */
  get target(): string {
    return this.#target;
  }

  /** Names and values in turn, without those of the connection, and of the proxy. */
  get headers(): readonly string[] {
    return endToEnd(this.#request.rawHeaders).filter(isNotOf(['host', 'expect', 'x-trawler-caller']));
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  get waitedMs(): number {
    return performance.now() - this.#at;
  }

  /** The response has begun, so nothing else can be said. */
  get begun(): boolean {
    return this.#response.headersSent;
  }

  /** What its response has cost. */
  get cost(): number {
    return this.#cost;
  }

  get withheld(): Withheld | undefined {
    return this.#withheld;
  }

  withhold(response: Withheld): void {
    this.#withheld = response;
  }

  /** The body, if it is short. A longer one is the stream itself, which can be sent once. */
  async body(maxBytes: number): Promise<Buffer | Readable | undefined> {
    const request = this.#request;
    if (request.headers['transfer-encoding'] === undefined && !(Number(request.headers['content-length']) > 0)) return undefined;
    const parts: Buffer[] = [];
    let bytes = 0;
    return new Promise((resolve, reject) => {
      const done = (body: Buffer | Readable): void => {
        request.off('data', take).off('end', end).off('error', reject).pause();
        resolve(body);
      };
      const end = (): void => done(Buffer.concat(parts));
      const take = (part: Buffer): void => {
        parts.push(part);
        bytes += part.length;
        if (bytes <= maxBytes) return;
        request.off('data', take).pause();
        request.unshift(Buffer.concat(parts));
        done(request);
      };
      request.on('data', take).on('end', end).on('error', reject);
    });
  }

  begin(status: number, text: string | undefined, headers: readonly string[], { store, cost, attempts }: Notes): void {
    this.#cost = cost;
    const said = ['x-trawler-store', store, 'x-trawler-cost', String(cost), 'x-trawler-waited-ms', this.waitedMs.toFixed(0)];
    this.#response.writeHead(status, text, [...headers, ...said, 'x-trawler-attempts', String(attempts)]);
    // Node would write a header that isn't ASCII as UTF-8 here. With a body it goes as it came.
    if (!headers.some((part) => /[\u0080-\u00ff]/.test(part))) this.#response.flushHeaders();
  }

  /** Writes a part of the body. False: the caller is slow. `drained` is called when it has read enough. */
  write(part: Buffer, drained: () => void): boolean {
    this.#drained = drained;
    return part.length === 0 || this.#response.write(part);
  }

  end(): void {
    this.#response.end();
  }

  /** A response that broke off must not look complete. */
  cut(): void {
    this.#response.destroy();
  }

  /** A response of the proxy's own: why there is none of the service. */
  refuse(status: number, error: string, message: string, retryAfterMs?: number, attempts = 0): void {
    if (this.begun) return this.cut();
    const body = `${JSON.stringify({ error, message, proxy: 'trawler' })}\n`;
    const after = retryAfterMs === undefined ? [] : ['retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000)))];
    const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body)), ...after];
    this.begin(status, undefined, headers, { store: 'miss', cost: 0, attempts });
    this.#response.end(this.method === 'HEAD' ? undefined : body);
  }
}

/** Headers without those that belong to the connection, and those that say what the proxy says. */
export function endToEnd(headers: readonly string[]): readonly string[] {
  const listed = headers.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() === 'connection' ? headers[at + 1]!.toLowerCase().split(/\s*,\s*/) : [],
  );
  return headers.filter(isNotOf([...hopByHop, ...listed]));
}

/** Keeps pairs with other names. */
export function isNotOf(names: readonly string[]): (text: string, at: number, all: readonly string[]) => boolean {
  const left = new Set(names);
  return (_, at, all) => !left.has(all[at - (at % 2)]!.toLowerCase());
}
