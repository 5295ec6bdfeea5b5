import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { namesServer, serverUrl } from '../../operators/kit/parsedUrl.ts';
import { getOrInsert } from '../../operators/kit/once.ts';
import type { ClientOptions } from '../client/ClientOptions.ts';
import type { ClientStats } from '../client/Client.ts';
import type { ClientCore } from '../client/ClientCore.ts';
import { createCore } from '../client/createServiceClient.ts';
import { Call } from '../client/attempt/Call.ts';
import { nextPath } from '../client/attempt/nextPath.ts';
import { defineService, needsOf, variablesOf, type Operation, type Service } from '../contract/index.ts';
import { madeOperation } from '../contract/madeOperation.ts';
import { routesOf } from '../contract/routesOf.ts';
import { BudgetError, type FailureKind, type TrawlerError } from '../errors/index.ts';
import { ForwardAttempt } from './ForwardAttempt.ts';
import { Forwarded } from './Forwarded.ts';
import { FairQueue } from './FairQueue.ts';
import { ProxyStore } from './ProxyStore.ts';

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
  /**
   * Called with a sentence for whoever runs the proxy, once for each: requests are refused because the budget or a limit of the ledger is
   * used up, or the service refuses the key.
   * @default nobody
   */
  readonly onNotice?: ((sentence: string) => void) | undefined;
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
  /** Those that the proxy itself refused: too long a wait, no budget, no connection. What the service refuses doesn't count. */
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
const closing = [503, 'closing', 'The proxy is ending.'] as const;

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
  readonly #options: ProxyOptions & { readonly waitMs: number; readonly host: string };
  readonly #onNotice: ProxyOptions['onNotice'];
  readonly #told = new Set<string>();
  readonly #core: ClientCore;
  readonly #server: Server;
  readonly #queue: FairQueue;
  readonly #stored: ProxyStore | undefined;
  readonly #others: { readonly reads: Operation; readonly writes: Operation };
  readonly #findRoute: ReturnType<typeof routesOf>;
  /** Requests whose responses haven't ended, each with its call once it has one. */
  readonly #open = new Map<Forwarded, Call | undefined>();
  readonly #callers = new Map<string, { requests: number; hits: number; cost: number }>();
  #received = 0;
  #refused = 0;
  /** Why an attempt failed last: what others wait for. */
  #lastFailure: FailureKind | undefined;
  #looks: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ProxyOptions) {
    const {
      waitMs = 60_000,
      host = '127.0.0.1',
      service = anyService(options),
      store,
      port: _,
      allowKey = false,
      onNotice,
      ...rest
    } = options;
    this.#options = { ...options, waitMs, host };
    this.#onNotice = onNotice;
    const retry = { totalMs: waitMs, maxRetryAfterMs: waitMs, maxAttempts: 1000 };
    const how = {
      isOwnKey: (value: string): boolean => allowKey && !isPlaceholder(value),
      heard: (kind: FailureKind): void => void (this.#lastFailure = kind),
      keyRefused: (status: number): void => this.#tell(`The service refuses the key with ${status}. ${whatOfKey(service, options)}`),
    };
    const of = { ...rest, ...(store?.mode === 'replay' ? { store } : {}), retry, validate: 'off' } as const;
    this.#core = createCore(service, of, (core, owner, request) => new ForwardAttempt(core, owner, request, how));
    this.#core.stored = undefined; // what is stored of callers has keys of its own
    const { origin, prefix } = this.#core.settings.address;
    this.#stored = store && new ProxyStore(store, { service, origin, allowKey });
    this.#queue = new FairQueue(2 * this.#core.settings.concurrency);
    this.#findRoute = routesOf(Object.values(service.operations), prefix);
    const { name, headers, query, token } = service;
    const others = { reads: anyOperation(true), writes: anyOperation(false) };
    this.#others = defineService({ name, headers, query, token, operations: others }).operations;
    this.#server = createServer(
      { maxHeaderSize: 32_768, insecureHTTPParser: false, joinDuplicateHeaders: true, requestTimeout: waitMs + 120_000 },
      (request, response) => this.#take(request, response),
    );
    this.#server.maxConnections = 4096;
    // Node itself responds to what isn't HTTP.
    this.#server.on('connect', (_, socket) =>
      socket.on('error', () => socket.destroy()).end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
    );
  }

  async listen(): Promise<void> {
    const { port = 4780, host } = this.#options;
    await new Promise<void>((resolve, reject) => this.#server.once('error', reject).listen(port, host, resolve));
    this.#looks = setInterval(() => this.#look(), lookMs).unref();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return serverUrl(this.#options.host, this.port);
  }

  stats(): ProxyStats {
    const { requests, retries, throttled, inFlight, rate, budgetLeft, waiting } = this.#core.stats();
    const callers = [...this.#callers.values()];
    const sum = (of: 'hits' | 'cost'): number => callers.reduce((total, each) => total + each[of], 0);
    const own = { received: this.#received, refused: this.#refused, waiting: waiting + this.#queue.size, callers: this.#callers };
    return { ...own, requests, retries, throttled, inFlight, rate, budgetLeft, hits: sum('hits'), cost: sum('cost') };
  }

  close = (): Promise<void> => (this.#closing ??= this.#close());
  [Symbol.asyncDispose] = this.close;

  async #close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await Promise.resolve(); // `#closing` is set by then
    for (; this.#open.size > 0; await new Promise((resolve) => setTimeout(resolve, 20))) this.#look();
    clearInterval(this.#looks);
    this.#server.closeAllConnections(); // also those that have sent nothing
    await closed;
    await this.#core.close();
    await this.#options.store?.sync();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#received += 1;
    const target = this.#core.settings.address.prefix + request.url!;
    const isPriced = this.#core.settings.service.price !== undefined;
    const of = { target, isPriced, caller: this.#callerOf(request), ...this.#operationOf(request.method!, target) };
    const forwarded = new Forwarded(request, response, of);
    const refused = this.#whyRefused(request, target);
    if (refused !== undefined) {
      request.resume();
      return this.#refuse(forwarded, ...refused);
    }
    this.#open.set(forwarded, undefined);
    response.once('close', () => this.#end(forwarded));
    forwarded.over.add(this.#queue.enter(forwarded.caller, () => void this.#respond(forwarded)));
  }

  #end(forwarded: Forwarded): void {
    if (!this.#open.delete(forwarded)) return;
    forwarded.over.unsubscribe();
    this.#count(forwarded);
  }

  /** Why a request is not for the service. */
  #whyRefused(request: IncomingMessage, target: string): readonly [status: number, error: string, message: string] | undefined {
    if (!namesServer(request.headers.host, this.#options.host))
      return [403, 'host', 'The Host header must name this proxy, as its address says.'];
    const { origin, 'sec-fetch-site': site = 'none' } = request.headers;
    if ((origin !== undefined && origin !== `http://${request.headers.host}`) || !['none', 'same-origin'].includes(site))
      return [403, 'origin', 'The request comes from a web page. The proxy takes requests of programs only.'];
    if (!request.url!.startsWith('/')) return [400, 'address', 'The proxy takes paths of its service only, such as /search?q=coffee.'];
    if (request.method === 'TRACE') return [405, 'method', 'TRACE is not passed on.'];
    const { origin: service, prefix } = this.#core.settings.address;
    if (prefix !== '' && nextPath(target, service, prefix) === undefined)
      return [400, 'address', "The path leads out of the service's base."];
    if (this.#closing !== undefined) return closing;
    if (this.#queue.size >= maxWaiting) return [503, 'full', `${maxWaiting} requests wait already.`];
    return undefined;
  }

  #callerOf(request: IncomingMessage): string {
    const named = request.headers['x-trawler-caller'];
    if (typeof named === 'string' && named !== '') return named.slice(0, 100);
    return ` ${request.socket.remoteAddress} ${request.socket.remotePort}`;
  }

  /** The operation of a request: one that is described, or one that reads or writes anything. */
  #operationOf(method: string, target: string): Pick<Forwarded, 'operation' | 'isKnown'> {
    const [, path = '', search] = /^([^?]*)\??(.*)$/s.exec(target)!;
    const route = this.#findRoute(method === 'HEAD' ? 'GET' : method, path, { params: new URLSearchParams(search) });
    const found = route?.isAllowed === true ? route.operation : undefined;
    if (found !== undefined) return { operation: found, isKnown: true };
    return { operation: this.#others[['GET', 'HEAD', 'OPTIONS'].includes(method) ? 'reads' : 'writes'], isKnown: false };
  }

  /** The turn of a request has come. */
  async #respond(forwarded: Forwarded): Promise<void> {
    const { over } = forwarded;
    const stored = this.#stored;
    try {
      await forwarded.read(maxBufferedBytes);
    } catch {
      return this.#refuse(forwarded, 400, 'body', 'The body of the request broke off.');
    }
    const key = stored?.keyOf(forwarded);
    for (let equal: Promise<void> | undefined; !over.closed; await equal) {
      if (key !== undefined && stored!.find(key, forwarded)) return;
      if (stored?.isReplay === true)
        return this.#refuse(forwarded, 504, 'replay', 'The store has no response to this request, and a replay sends none.');
      equal = key && stored!.underWay(key);
      if (equal === undefined) break;
    }
    if (over.closed) return;
    if (key !== undefined) {
      stored!.begin(key, over);
      forwarded.keep = (response) => stored!.keep(key, response);
    }
    this.#send(forwarded);
  }

  /** Sends the request when the limits allow, and again if that helps. */
  #send(forwarded: Forwarded): void {
    const { operation } = forwarded;
    const plan = { ...this.#core.planOf(operation), batch: undefined }; // each is sent alone
    const subscriber = { next: () => undefined, complete: () => undefined, error: (error: TrawlerError) => this.#fail(forwarded, error) };
    const none = { rows: undefined, label: undefined, node: undefined };
    const call = new Call(this.#core, { operation, plan, query: forwarded, subscriber, ...none });
    this.#open.set(forwarded, call);
    forwarded.over.add(call);
    call.start();
  }

  /** Refuses what has waited too long, or would. A request in flight is let end: it is paid. */
  #look(): void {
    for (const [forwarded, call] of this.#open) {
      if (forwarded.isGone) this.#end(forwarded);
      if (forwarded.isGone || forwarded.begun || call?.inFlight === true) continue;
      const pauseMs = call?.limitGroup.pause.ms ?? 0;
      if (this.#closing !== undefined) this.#refuse(forwarded, ...closing);
      else if (Math.max(0, pauseMs) >= this.#options.waitMs - forwarded.waitedMs) this.#refuseLate(forwarded, pauseMs);
    }
  }

  #refuseLate(forwarded: Forwarded, pauseMs: number): void {
    const { withheld, waitedMs } = forwarded;
    const status = [undefined, 'throttled', 'quota'].includes(this.#lastFailure) ? 429 : 503;
    const what = withheld === undefined ? 'its turn did not come' : `the service refused it with ${withheld.status}`;
    this.#refuse(forwarded, status, 'wait', `The request waited ${waitedMs.toFixed(0)} ms: ${what}.`, Math.max(1000, pauseMs));
  }

  /** No attempt has brought a response that can be passed on. */
  #fail(forwarded: Forwarded, error: TrawlerError): void {
    const { withheld, begun, operation } = forwarded;
    const { kind, name, message, retryAfterMs } = error;
    const said = message.replace(/^.*?\}: /s, '').replace(`${operation.name}: `, '');
    if (error instanceof BudgetError) {
      const why = budgetText(error, said);
      this.#tell(`Requests are refused with 402: ${why}.`);
      this.#refuse(forwarded, 402, 'budget', why);
    } else if (kind === 'throttled' || kind === 'quota') this.#refuse(forwarded, 429, 'limit', said, retryAfterMs ?? 60_000);
    else if (name === 'RateLimitError') this.#refuse(forwarded, 402, 'quota', said);
    else if (withheld !== undefined && !begun) forwarded.give(withheld);
    else if (kind === 'timeout') this.#refuse(forwarded, 504, 'timeout', said);
    else this.#refuse(forwarded, 502, 'service', said);
  }

  #refuse(forwarded: Forwarded, status: number, error: string, message: string, retryAfterMs?: number): void {
    this.#refused += 1;
    forwarded.refuse(status, error, message, retryAfterMs);
  }

  #tell(sentence: string): void {
    if (this.#told.size !== this.#told.add(sentence).size) this.#onNotice?.(sentence);
  }

  #count({ caller, isHit, cost }: Forwarded): void {
    const named = caller.startsWith(' ') || (this.#callers.size >= maxCallers && !this.#callers.has(caller)) ? '' : caller;
    const counts = getOrInsert(this.#callers, named, () => ({ requests: 0, hits: 0, cost: 0 }));
    counts.requests += 1;
    counts.hits += Number(isHit);
    counts.cost += cost;
  }
}

/** Advice about a budget for the caller of a proxy, who isn't the one who started it. */
function budgetText({ because }: BudgetError, said: string): string {
  if (because === undefined) return said.replace('raise maxRequests to continue', 'start the proxy with a larger --max-requests');
  return `not sent, because ${because}; where the proxy runs, trawler spend shows what was spent, and trawler spend limit sets the limit`;
}

/** What to do about a key that is refused. */
function whatOfKey(service: Service, { service: described, allowKey }: ProxyOptions): string {
  const { apiKey } = variablesOf(service);
  if (allowKey === true) return `Check the key that callers send${needsOf(service).key ? `, and ${apiKey}` : ''}.`;
  if (described !== undefined) return `Check ${apiKey}.`;
  const sent = needsOf(service).key ? `${apiKey} is sent as a bearer token.` : `None is sent, as ${apiKey} is not set.`;
  return `${sent} Where the service takes it elsewhere, --service names a description, or --allow-key lets callers send it.`;
}

/** A service of which only the address is known. */
function anyService({ baseUrl, apiKey }: ProxyOptions): Service {
  const name = URL.canParse(baseUrl ?? '') ? new URL(baseUrl!).hostname.replaceAll(/[^\w.-]/g, '') : 'service';
  const key = apiKey ?? process.env['TRAWLER_API_KEY'];
  const headers = key === undefined || key === '' ? undefined : { authorization: 'Bearer ${key}' };
  return defineService({ name, ...(headers === undefined ? {} : { headers }), operations: { reads: anyOperation(true) } });
}

function anyOperation(reads: boolean): Operation {
  return madeOperation({ get: '/', response: {}, rows: null, ...(!reads && { repeatable: false }) });
}

/** What a program sends where it must send a key and has none. */
function isPlaceholder(value: string): boolean {
  return /^(?:(?:bearer|basic|token)\s+)?(?:|key|none|placeholder|trawler|x+|-+)$/i.test(value.trim());
}
