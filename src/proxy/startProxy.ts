import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo, type Socket } from 'node:net';
import type { ClientOptions } from '../client/ClientOptions.ts';
import type { ClientStats } from '../client/Client.ts';
import type { ClientCore } from '../client/ClientCore.ts';
import { createCore } from '../client/createServiceClient.ts';
import { Call } from '../client/attempt/Call.ts';
import { defineOperation, defineService, planOf, type Operation, type Service } from '../contract/index.ts';
import { patternOf } from '../contract/template.ts';
import type { FailureKind, TrawlerError } from '../errors/index.ts';
import { ForwardAttempt, type Sending } from './ForwardAttempt.ts';
import { Forwarded } from './Forwarded.ts';
import { FairQueue } from './FairQueue.ts';
import { StoredAnswers } from './StoredAnswers.ts';

/** The address of a server. */
export const addressOf = (host: string, port: number): string => `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

export interface ProxyOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'apiKey' | 'secrets' | 'pathPrefix' | 'concurrency' | 'rate' | 'timeoutMs' | 'maxRequests' | 'ledger' | 'store' | 'dispatcher'
> {
  /** Says where the key belongs, what a request costs, what a refusal looks like. @default any service; the key is a bearer token */
  readonly service?: Service | undefined;
  /** @default 4780; 0 is a free one */
  readonly port?: number | undefined;
  /** The address to listen on. Another one than this machine's own lets others spend your key. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Callers may send a key of their own. @default false: yours takes its place */
  readonly allowKey?: boolean | undefined;
  /** How long a request waits for the limits of the service and for retries, before the caller gets 429 or 503. @default 60000 */
  readonly waitMs?: number | undefined;
}

/** What the requests of one caller came to. */
export interface CallerStats {
  readonly requests: number;
  readonly hits: number;
  readonly cost: number;
}

export interface ProxyStats extends Pick<ClientStats, 'requests' | 'retries' | 'throttled' | 'inFlight' | 'rate' | 'budgetLeft'> {
  /** Requests of callers. */
  readonly received: number;
  /** Those that came from the store. */
  readonly hits: number;
  /** Those that the proxy refused: too long a wait, no budget, no connection. */
  readonly refused: number;
  readonly waiting: number;
  readonly cost: number;
  /** By the header `x-trawler-caller`. Those without one are ''. */
  readonly callers: ReadonlyMap<string, CallerStats>;
}

export interface Proxy extends AsyncDisposable {
  /** The address that takes the place of the service's. */
  readonly url: string;
  readonly port: number;
  stats(): ProxyStats;
  /** Refuses what waits, and lets requests in flight end. */
  close(): Promise<void>;
}

const maxBufferedBytes = 1_048_576;
const maxWaiting = 10_000;
const maxCallers = 1000;
const lookMs = 250;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Starts an HTTP server on this machine that stands in front of a service. It passes on every request below the service's base, with the
 * key, at the pace that the service takes, and the response unchanged.
 *
 * @example
 * const proxy = await startProxy({ baseUrl: 'https://api.example.com', store: await openStore('responses') });
 * // python: requests.get(`${proxy.url}/search`, params={'q': 'coffee'})
 */
export async function startProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const proxy = new ServiceProxy(options);
  await proxy.listen();
  return proxy;
}

class ServiceProxy implements Proxy {
  readonly #options: ProxyOptions;
  readonly #core: ClientCore;
  readonly #server: Server;
  readonly #queue: FairQueue;
  readonly #stored: StoredAnswers | undefined;
  readonly #operations: readonly { readonly operation: Operation; readonly method: string; readonly path: RegExp }[];
  readonly #reads: Operation;
  readonly #writes: Operation;
  readonly #sendings = new WeakMap<object, Sending>();
  /** Ends the requests that haven't been sent. */
  readonly #waiting = new Set<() => void>();
  readonly #callers = new Map<string, { requests: number; hits: number; cost: number }>();
  readonly #names = new WeakMap<Socket, string>();
  #received = 0;
  #refused = 0;
  /** Responses that haven't ended. */
  #open = 0;
  /** Why an attempt failed last: what others wait for. */
  #lastFailure: FailureKind | undefined;
  #connections = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ProxyOptions) {
    const { service = anyService(options), waitMs = 60_000, store, host: _, port: __, allowKey: ___, ...rest } = options;
    this.#options = options;
    const retry = { totalMs: waitMs, maxRetryAfterMs: waitMs, maxAttempts: 1000 };
    const attempt: Parameters<typeof createCore>[2] = (core, owner, request) =>
      new ForwardAttempt(core, owner, request, this.#sendings.get(request.query)!);
    this.#core = createCore(service, { ...rest, ...(store?.mode === 'replay' ? { store } : {}), retry, validate: 'off' }, attempt);
    this.#core.stored = undefined; // what is stored of callers has keys of its own
    const { origin, prefix } = this.#core.settings.address;
    this.#stored = store && new StoredAnswers(store, service.name, store.mode === 'replay' ? '' : origin);
    this.#queue = new FairQueue(2 * this.#core.settings.concurrency);
    this.#operations = Object.values(service.operations).map((operation) => {
      const { method, path } = planOf(operation);
      return { operation, method, path: patternOf([prefix, ...path], '[^/]+') };
    });
    const { headers, query } = service;
    const others = defineService({
      name: service.name,
      headers,
      query,
      operations: { reads: anyOperation(true), writes: anyOperation(false) },
    });
    [this.#reads, this.#writes] = [others.operations['reads']!, others.operations['writes']!];
    this.#server = createServer(
      { maxHeaderSize: 32_768, insecureHTTPParser: false, noDelay: true, requestTimeout: waitMs + 120_000 },
      (request, response) => this.#take(request, response),
    );
    this.#server.maxConnections = 4096;
    this.#server.on('connect', (_request, socket) =>
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
    );
    this.#server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
    });
  }

  async listen(): Promise<void> {
    const { port = 4780, host = '127.0.0.1' } = this.#options;
    await new Promise<void>((resolve, reject) => this.#server.once('error', reject).listen(port, host, resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    const { host = '127.0.0.1' } = this.#options;
    return addressOf(host, this.port);
  }

  stats(): ProxyStats {
    const { requests, retries, throttled, inFlight, rate, budgetLeft, waiting } = this.#core.stats();
    const callers = [...this.#callers.values()];
    const sum = (of: 'hits' | 'cost'): number => callers.reduce((total, each) => total + each[of], 0);
    const own = { received: this.#received, refused: this.#refused, waiting: waiting + this.#queue.size };
    return {
      ...own,
      requests,
      retries,
      throttled,
      inFlight,
      rate,
      budgetLeft,
      hits: sum('hits'),
      cost: sum('cost'),
      callers: this.#callers,
    };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const end of this.#waiting) end();
    while (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    this.#server.closeAllConnections(); // also those that have sent nothing
    await closed;
    await this.#core.close();
    await this.#stored?.sync();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#received += 1;
    this.#open += 1;
    response.once('close', () => (this.#open -= 1));
    const { address } = this.#core.settings;
    const target = address.prefix + request.url!;
    const forwarded = new Forwarded(request, response, target);
    const refused = this.#whyRefused(request, target);
    if (refused !== undefined) {
      this.#refused += 1;
      request.resume();
      return forwarded.refuse(refused.status, refused.error, refused.message);
    }
    const caller = this.#callerOf(request);
    const operation = this.#operationOf(forwarded);
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(forwarded.method) || this.#operations.some((each) => each.operation === operation);
    void this.#answer(forwarded, {
      operation: operation ?? (isRead ? this.#reads : this.#writes),
      isKnown: operation !== undefined,
      caller,
      response,
    });
  }

  /** Why a request is not for the service. */
  #whyRefused(request: IncomingMessage, target: string): { status: number; error: string; message: string } | undefined {
    const { host = '127.0.0.1' } = this.#options;
    const isExposed = !loopback.has(host);
    const name = (request.headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
    const isOwn = loopback.has(name) || (isExposed && (name === host.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0));
    const refuse = (status: number, error: string, message: string) => ({ status, error, message });
    if (!isOwn) return refuse(403, 'host', 'The Host header must name this proxy, as its address says.');
    const { origin, 'sec-fetch-site': site = 'none' } = request.headers;
    if ((origin !== undefined && origin !== `http://${request.headers.host}`) || !['none', 'same-origin'].includes(site))
      return refuse(403, 'origin', 'The request comes from a web page. The proxy takes requests of programs only.');
    if (!request.url!.startsWith('/'))
      return refuse(400, 'address', 'The proxy takes paths of its service only, such as /search?q=coffee.');
    if (request.method === 'TRACE') return refuse(405, 'method', 'TRACE is not passed on.');
    if (leaves(target, this.#core.settings.address.prefix)) return refuse(400, 'address', "The path leads out of the service's base.");
    if (this.#closing !== undefined) return refuse(503, 'closing', 'The proxy is ending.');
    if (this.#queue.size >= maxWaiting) return refuse(503, 'full', `${maxWaiting} requests wait already.`);
    return undefined;
  }

  #callerOf(request: IncomingMessage): string {
    const named = request.headers['x-trawler-caller'];
    if (typeof named === 'string' && named !== '') return named.slice(0, 100);
    const known = this.#names.get(request.socket) ?? ` ${(this.#connections += 1)}`;
    this.#names.set(request.socket, known);
    return known;
  }

  #operationOf({ method, path }: Forwarded): Operation | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    return this.#operations.find((each) => each.method === asked && each.path.test(path))?.operation;
  }

  async #answer(
    forwarded: Forwarded,
    { operation, isKnown, caller, response }: { operation: Operation; isKnown: boolean; caller: string; response: ServerResponse },
  ): Promise<void> {
    let isGone = false;
    let leave = (): void => undefined;
    let cancel = (): void => undefined;
    const over = new Promise<void>((resolve) =>
      response.once('close', () => {
        isGone = !response.writableFinished;
        cancel();
        leave();
        this.#waiting.delete(end);
        resolve();
      }),
    );
    const end = (): void => {
      if (!forwarded.begun && !this.#isSent.has(forwarded)) this.#refuse(forwarded, 503, 'closing', 'The proxy is ending.');
    };
    const { waitMs = 60_000 } = this.#options;
    this.#waiting.add(end);
    const timer = setTimeout(() => {
      if (!forwarded.begun && !this.#isSent.has(forwarded)) this.#refuseLate(forwarded);
    }, waitMs);
    void over.then(() => clearTimeout(timer));
    await new Promise<void>((resolve) => {
      leave = this.#queue.enter(caller, resolve);
      void over.then(resolve);
    });
    if (isGone || forwarded.begun) return;
    try {
      const body = await forwarded.body(maxBufferedBytes);
      const stored = this.#stored?.keyOf(forwarded, { operation, isKnown, body });
      for (;;) {
        const found = stored && this.#stored!.find(stored, forwarded);
        if (found === true) return this.#count(caller, { hits: 1, cost: 0 });
        if (this.#stored?.isReplay === true)
          return this.#refuse(forwarded, 504, 'replay', 'The store has no response to this request, and a replay sends none.');
        const equal = stored && this.#stored!.underWay(stored);
        if (equal === undefined || isGone) break;
        await Promise.race([equal, over]);
        if (isGone || forwarded.begun) return;
      }
      if (isGone) return;
      const release = stored && this.#stored!.begin(stored);
      void over.then(() => release?.());
      const keep = stored === undefined ? undefined : (status: number, headers: readonly string[], whole: Buffer) => this.#stored!.keep(stored, { status, headers, body: whole }); // prettier-ignore
      const isOwnKey = this.#options.allowKey === true ? (value: string): boolean => !isPlaceholder(value) : () => false;
      const heard = (kind: FailureKind): void => void (this.#lastFailure = kind);
      this.#sendings.set(forwarded, { forwarded, body, isOwnKey, heard, keep });
      cancel = this.#send(forwarded, operation, caller);
    } catch {
      this.#refuse(forwarded, 400, 'body', 'The body of the request broke off.');
    }
  }

  /** Those with a request in flight. */
  readonly #isSent = new WeakSet<Forwarded>();

  /** Sends the request when its turn comes, and again if that helps. Returns what gives it up. */
  #send(forwarded: Forwarded, operation: Operation, caller: string): () => void {
    const purpose = { operation, plan: this.#core.planOf(operation), query: forwarded, rows: undefined, label: undefined, node: undefined };
    const subscriber = {
      next: () => this.#count(caller, { hits: 0, cost: this.#core.settings.service.price === undefined ? 0 : forwarded.cost }),
      complete: () => undefined,
      error: (error: TrawlerError) => this.#fail(forwarded, error),
    };
    const call = new Call(this.#core, { ...purpose, subscriber });
    const { waitMs = 60_000 } = this.#options;
    // A request in flight is let end: it is paid.
    const look = setInterval(() => {
      const isOver = this.#closing !== undefined || forwarded.waitedMs >= waitMs;
      if (!isOver || call.inFlight || forwarded.begun) return;
      call.unsubscribe();
      if (this.#closing === undefined) this.#refuseLate(forwarded);
      else this.#refuse(forwarded, 503, 'closing', 'The proxy is ending.');
    }, lookMs);
    this.#isSent.add(forwarded);
    call.start();
    return () => {
      clearInterval(look);
      call.unsubscribe();
    };
  }

  #fail(forwarded: Forwarded, error: TrawlerError): void {
    const { withheld } = forwarded;
    const { kind, attempts = 0, retryAfterMs, name } = error;
    const message = this.#core.transport.secrets.redact(error.message.replace(/^.*?\}: /s, ''));
    if (name === 'BudgetError') return this.#refuse(forwarded, 402, 'budget', message);
    if (kind === 'throttled' || kind === 'quota') return this.#refuse(forwarded, 429, 'limit', message, retryAfterMs ?? 60_000, attempts);
    if (withheld !== undefined && !forwarded.begun) {
      const { status, headers, body } = withheld;
      forwarded.begin(status, undefined, [...headers, 'content-length', String(body.length)], { store: 'miss', cost: 0, attempts });
      if (forwarded.method !== 'HEAD') forwarded.write(body, () => undefined);
      return forwarded.end();
    }
    if (kind === 'timeout') return this.#refuse(forwarded, 504, 'timeout', message, undefined, attempts);
    if (kind === 'closed') return this.#refuse(forwarded, 503, 'closing', 'The proxy is ending.');
    this.#refuse(forwarded, 502, 'service', message, undefined, attempts);
  }

  #refuseLate(forwarded: Forwarded): void {
    const { withheld } = forwarded;
    const { pausedMs } = this.#core.stats();
    const isLimit = [undefined, 'throttled', 'quota'].includes(this.#lastFailure);
    const { waitMs = 60_000 } = this.#options;
    const what = withheld === undefined ? 'its turn did not come' : `the service refused it with ${withheld.status}`;
    this.#refuse(forwarded, isLimit ? 429 : 503, 'wait', `The request waited ${waitMs} ms: ${what}.`, Math.max(1000, pausedMs));
  }

  #refuse(forwarded: Forwarded, status: number, error: string, message: string, retryAfterMs?: number, attempts?: number): void {
    this.#refused += 1;
    forwarded.refuse(status, error, message, retryAfterMs, attempts);
  }

  #count(caller: string, { hits, cost }: { readonly hits: number; readonly cost: number }): void {
    const named = caller.startsWith(' ') || (this.#callers.size >= maxCallers && !this.#callers.has(caller)) ? '' : caller;
    const counts = this.#callers.get(named) ?? { requests: 0, hits: 0, cost: 0 };
    this.#callers.set(named, { requests: counts.requests + 1, hits: counts.hits + hits, cost: counts.cost + cost });
  }
}

/** A service of which only the address is known. */
function anyService({ baseUrl, apiKey }: ProxyOptions): Service {
  const name = URL.canParse(baseUrl ?? '') ? new URL(baseUrl!).hostname.replaceAll(/[^\w.-]/g, '') : 'service';
  const key = apiKey ?? process.env['TRAWLER_API_KEY'];
  const headers = key === undefined || key === '' ? undefined : { authorization: 'Bearer ${key}' };
  return defineService({ name, ...(headers === undefined ? {} : { headers }), operations: { reads: anyOperation(true) } });
}

function anyOperation(reads: boolean): Operation {
  return defineOperation({
    get: '/',
    params: {},
    response: {},
    list: null,
    paging: { kind: 'none' },
    ...(reads ? {} : { repeatable: false }),
  });
}

/** What a program sends where it must send a key and has none. */
function isPlaceholder(value: string): boolean {
  return /^(?:(?:bearer|basic|token)\s+)?(?:|key|none|placeholder|trawler|x+|-+)$/i.test(value.trim());
}

/** Whether a path leads out of a base, also one whose slashes and dots are encoded. */
function leaves(target: string, prefix: string): boolean {
  if (prefix === '') return false;
  const plain = target
    .replace(/[?#].*$/s, '')
    .replaceAll(/%2f|%5c|\\/gi, '/')
    .replaceAll(/%2e/gi, '.');
  const { pathname } = new URL(`http://base${plain}`);
  return pathname !== prefix && !pathname.startsWith(`${prefix}/`);
}
