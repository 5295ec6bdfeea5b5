import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { requestedAddress } from '../../operators/kit/parsedUrl.ts';
import { wrapRefusal } from '../contract/envelopeOf.ts';
import type { FaultPlan } from './faults.ts';
import { rateLimit } from './rateLimit.ts';
import { readQuery } from './readQuery.ts';
import type { RequestLog, SandboxRequest } from './RequestLog.ts';
import { SandboxCall } from './SandboxCall.ts';
import type { SandboxSettings } from './SandboxOptions.ts';
import { checkKeys, giveToken, tokenPath } from './checkKey.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import { World, type WorldQuery } from './world/World.ts';
import { jobPath, planOf, type Operation } from '../contract/index.ts';
import { routesOf } from '../contract/routesOf.ts';

interface HandlerParts {
  readonly log: RequestLog;
  readonly timers: Timers;
  readonly plan: () => FaultPlan;
}

type LogEntry = { -readonly [K in keyof SandboxRequest]: SandboxRequest[K] };

/** Handles requests. Checks host, method, path, key, rate limit and query in this order, then plays faults. */
export function requestHandler(
  settings: SandboxSettings,
  { log, timers, plan }: HandlerParts,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { imitated } = settings;
  const { service } = imitated;
  const world = new World(settings);
  const limit = settings.rateLimit === undefined ? undefined : rateLimit(settings.rateLimit);
  const [fastest, slowest] = settings.latencyMs;
  const pace = world.random('latency');
  const tokenAt = tokenPath(service.token);
  const findRoute = routesOf(Object.values(service.operations), settings.pathPrefix);
  const jobs = new Jobs(settings.pathPrefix);

  const handle = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const address = requestedAddress(request.url);
    const { path, params } = address ?? { path: request.url ?? '', params: new URLSearchParams() };
    const job = jobs.at(path);
    const { method = 'GET' } = request;
    const isOpen = job === undefined && address !== undefined;
    const route = isOpen ? (findRoute(method, path, { params, body }) ?? findRoute(method, path)) : undefined;
    const operation = job?.operation ?? route?.operation;
    const isForToken = path === tokenAt;
    const entry: LogEntry = { operation: operation?.name, query: Object.fromEntries(params), path, at: settings.now(), status: 0 };
    log.add(entry);
    const serial = world.random('request', log.count()).hex(32);
    const requestId = serial.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');

    const refuse = ({ status, code, message, headers }: SandboxRefusal): void => {
      entry.status = status;
      if (response.headersSent) return void response.destroy();
      const body = JSON.stringify(wrapRefusal(service.envelope, { data: null, code, message, requestId, timestamp: settings.now() }));
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        ...headers,
      });
      response.end(body);
    };
    const respond = (): void => {
      const { socket } = request;
      if (socket.destroyed) return;
      try {
        checkAddress(request);
        if (isForToken && service.token !== undefined) {
          const token = giveToken(service.token, { headers: request.headers, search: params }, body, settings.apiKey);
          entry.status = 200;
          return void response.writeHead(200, token.headers).end(JSON.stringify(token.body));
        }
        if (address === undefined) throw new SandboxRefusal(400, 'this is no address');
        if (operation === undefined) throw new SandboxRefusal(404, 'there is no such operation');
        if (route?.isAllowed === false)
          throw new SandboxRefusal(405, `${request.method} is not allowed; ${operation.name} is a ${planOf(operation).method}`);
        checkKeys(operation, { headers: request.headers, search: params }, settings.apiKey);
        const waitMs = limit?.(performance.now()) ?? 0;
        if (waitMs > 0) throw new SandboxRefusal(429, 'too many requests', 429, retryAfter(settings, waitMs));
        const received = job?.query ?? readQuery(operation, { search: params, path: route!.values(), headers: request.headers, body });
        entry.query = textsOf(received);
        const query = imitated.wholeQuery(operation, received, world);
        const call = new SandboxCall({
          imitated,
          operation,
          query,
          world,
          response,
          socket,
          requestId,
          after: timers.after,
          entry,
        });
        const due = plan().forRequest(operation.name, entry.query);
        const later = due === undefined ? jobs.pending(operation, received, job) : undefined;
        if (later !== undefined) return call.pending(later);
        if (due === undefined) {
          call.json(call.correct());
          if (operation.name === 'aiMode') world.answered(String(query['query']));
          return;
        }
        entry.fault = due.name;
        due.play(call);
      } catch (error) {
        refuse(error instanceof SandboxRefusal ? error : new SandboxRefusal(500, `the sandbox failed: ${String(error)}`));
      }
    };
    if (slowest === 0) respond();
    else timers.after(fastest + pace.next() * (slowest - fastest), respond);
  };

  return (request, response) => {
    const path = requestedAddress(request.url)?.path;
    const isPlain = path === undefined || jobs.at(path) !== undefined;
    const route = isPlain ? undefined : findRoute(request.method ?? 'GET', path);
    if (path !== tokenAt && (route === undefined || planOf(route.operation).bodyAs === undefined)) {
      request.resume();
      return handle(request, response, '');
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => handle(request, response, Buffer.concat(chunks).toString()));
  };
}

function checkAddress({ headers }: IncomingMessage): void {
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? ''))
    throw new SandboxRefusal(403, 'this host name is not served here');
}

function textsOf(query: object): { readonly [param: string]: string } {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, textOfValue(value)]));
}

function retryAfter({ rateLimit: options, now }: SandboxSettings, waitMs: number): SandboxRefusal['headers'] {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (options?.retryAfter === 'date') {
    const at = now();
    return { 'retry-after': new Date(at + seconds * 1000).toUTCString(), date: new Date(at).toUTCString() };
  }
  return options?.retryAfter === true ? { 'retry-after': String(seconds) } : {};
}

/** A query whose rows come later. */
interface SandboxJob {
  readonly operation: Operation;
  readonly query: WorldQuery;
  readonly id: string;
  /** Whether its rows were requested before. */
  readonly wasRequested: boolean;
}

/** The jobs that a sandbox was given. Each is pending when its rows are first requested, and done at the next request. */
class Jobs {
  readonly #byPath = new Map<string, SandboxJob>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  at(path: string): SandboxJob | undefined {
    return this.#byPath.get(path);
  }

  /**
   * Starts a job for a query, or notes the first request for the rows of `job`. Returns the address of its rows, or its id. undefined: the
   * rows are there.
   */
  pending(operation: Operation, query: WorldQuery, job: SandboxJob | undefined): string | undefined {
    if (operation.spec.job === undefined || job?.wasRequested === true) return undefined;
    const { get: made } = operation.spec.job;
    const id = job?.id ?? String(this.#byPath.size + 1);
    const path = `${this.#prefix}${made === undefined ? `/jobs/${id}` : jobPath(made, id)}`;
    this.#byPath.set(path, { operation, query, id, wasRequested: job !== undefined });
    return made === undefined ? path : id;
  }
}

/** Timers that can all be cancelled at once. They keep no process alive. */
export class Timers {
  private readonly pending = new Set<NodeJS.Timeout>();

  readonly after = (ms: number, run: () => void): void => {
    const timer = setTimeout(() => {
      this.pending.delete(timer);
      run();
    }, ms);
    this.pending.add(timer.unref());
  };

  clear(): void {
    for (const timer of this.pending) clearTimeout(timer);
    this.pending.clear();
  }
}
