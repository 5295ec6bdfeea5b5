import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { buildConnector, errors, Pool, type Dispatcher } from 'undici';
import type { Settings } from '../options/resolveOptions.ts';
import { version } from '../version.ts';
import type { RawResponse } from './RunningAttempt.ts';

const shortestSecret = 8;

/** Sends requests with the key. Only this class knows the key. */
export class Transport {
  readonly #key: string;
  /** The key as a body may contain it: plain, or escaped for JSON or a URL. */
  readonly #echoes: readonly string[];
  /** The key with any of its characters written as `\u0041`. */
  readonly #escaped: RegExp;
  readonly #headers: string[];
  readonly #origin: string;
  readonly #pool: Pool | undefined;
  readonly #dispatcher: Dispatcher;
  /** What a socket had read before its first request, by local port. */
  readonly #readBefore = new Map<number, number>();
  readonly #brokeInUse = new WeakSet<Error>();

  constructor(key: string, settings: Settings) {
    this.#key = key;
    const json = JSON.stringify(key).slice(1, -1);
    this.#echoes =
      key.length < shortestSecret ? [] : [...new Set([key, json, json.replaceAll('/', String.raw`\/`), encodeURIComponent(key)])];
    this.#escaped = new RegExp(Array.from(key, spellings).join(''), 'g');
    const { key: travels } = settings.service;
    this.#headers = [
      ...(travels === undefined ? [] : [travels.header, travels.value?.(key) ?? key]),
      'accept',
      'application/json',
      'accept-encoding',
      'gzip, deflate, br',
      'user-agent',
      `trawler/${version}`,
    ];
    this.#origin = settings.address.origin;
    this.#pool = settings.dispatcher === undefined ? this.#ownPool(settings) : undefined;
    this.#dispatcher = settings.dispatcher ?? this.#pool!;
  }

  send(path: string, handler: Dispatcher.DispatchHandler): void {
    // undici's own timeouts are off, because the attempt has one deadline for everything.
    this.#dispatcher.dispatch(
      { origin: this.#origin, path, method: 'GET', headers: this.#headers, headersTimeout: 0, bodyTimeout: 0 },
      handler,
    );
  }

  /** Whether a reused connection broke: the server closed it just as we wrote to it. */
  wasInUse(error: Error): boolean {
    if (!(error instanceof errors.SocketError)) return this.#brokeInUse.has(error);
    const { localPort, bytesRead } = error.socket ?? {};
    return bytesRead !== undefined && bytesRead > (this.#readBefore.get(localPort ?? -1) ?? 0);
  }

  /** The text without the key, in case the service or a dispatcher repeated it. */
  redact(text: string): string {
    return this.#key === '' ? text : text.replaceAll(this.#key, '[key]');
  }

  /** Whether bodies are rid of the key. */
  get cleans(): boolean {
    return this.#echoes.length > 0;
  }

  /** A body without the key, before it is parsed or cut. A key of a few letters is left in: it may be a word of a row. */
  cleaned(body: Buffer): Buffer {
    const echoed = this.#echoes.some((echo) => body.includes(echo));
    if (!echoed && !(this.#echoes.length > 0 && body.includes(String.raw`\u00`))) return body;
    const text = body.toString('latin1');
    const cleaned = this.#echoes.reduce((all, echo) => all.replaceAll(echo, '[key]'), text).replace(this.#escaped, '[key]');
    return cleaned === text ? body : Buffer.from(cleaned, 'latin1');
  }

  /**
   * A good response to store, as it arrived. If the service repeated the key, it is removed, however short, and the
   * body is stored uncompressed. `body`: decompressed and cleaned. `echoed`: the key was in it.
   */
  withoutKey(url: string, headers: IncomingHttpHeaders, packed: Buffer, body: Buffer, echoed: boolean): RawResponse {
    const holds = (text: string | Buffer): boolean => this.#key !== '' && text.includes(this.#key);
    const inHeaders = Object.values(headers).some((value) => (typeof value === 'string' ? holds(value) : value?.some(holds)));
    if (!echoed && !inHeaders && !(this.#echoes.length === 0 && holds(body))) return { status: 200, headers, body: packed, url };
    const redacted = Buffer.from(this.redact(body.toString('latin1')), 'latin1');
    const { 'content-encoding': _, ...others } = headers;
    const entries = Object.entries(others).map(([name, value]) => [
      name,
      typeof value === 'string' ? this.redact(value) : value?.map((one) => this.redact(one)),
    ]);
    return { status: 200, headers: { ...Object.fromEntries(entries), 'content-length': String(redacted.length) }, body: redacted, url };
  }

  /** Closes the client's own connections. A dispatcher from the options stays open. */
  async close(): Promise<void> {
    await this.#pool?.destroy();
  }

  #ownPool(settings: Settings): Pool {
    const connect = buildConnector({ timeout: Math.min(settings.timeoutMs, 10_000) });
    return new Pool(settings.address.origin, {
      // A socket takes its next request only one turn after its response is complete. Spare sockets avoid that wait.
      connections: settings.concurrency + Math.floor(settings.concurrency / 2),
      pipelining: 1,
      connect: (options, callback) => {
        connect(options, (...result) => {
          const [error, socket] = result;
          if (error === null) this.#watch(socket);
          callback(...result);
        });
      },
    });
  }

  #watch(socket: Socket): void {
    const before = socket.bytesRead;
    if (socket.localPort !== undefined) this.#readBefore.set(socket.localPort, before);
    socket.on('error', (error) => {
      if (socket.bytesRead > before) this.#brokeInUse.add(error);
    });
  }
}

/** A pattern for the ways in which JSON may spell a character. */
function spellings(char: string): string {
  const [, high, low] = /(.)(.)$/.exec(char.charCodeAt(0).toString(16).padStart(2, '0'))!;
  const digit = (hex: string): string => `[${hex}${hex.toUpperCase()}]`;
  const escape = String.raw`\\u00${digit(high!)}${digit(low!)}`;
  const plain = char.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
  return `(?:${plain}|${escape}${/["\\/]/.test(char) ? String.raw`|\\` + plain : ''})`;
}
