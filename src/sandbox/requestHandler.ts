import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../contract/Operation.ts';
import { wrapResponse } from '../contract/responseOf.ts';
import { operations } from '../search/operations.ts';
import { searchService } from '../search/searchService.ts';
import { SandboxCall } from './SandboxCall.ts';
import type { FaultPlan } from './faults/FaultPlan.ts';
import { rateLimit } from './rateLimit.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import type { RequestLog, SandboxRequest } from './RequestLog.ts';
import type { SandboxSettings } from './SandboxOptions.ts';
import { World, type WorldQuery } from './world/World.ts';
import { checkQuery } from '../contract/checkQuery/checkQuery.ts';
import { coerceQuery } from '../contract/coerceQuery.ts';

const keyHeader = searchService.key!.header.toLowerCase();

type LogEntry = { -readonly [K in keyof SandboxRequest]: SandboxRequest[K] };

/** Timers that can all be cancelled at once. Only an `alive` one keeps the process alive by itself. */
export class Timers {
  private readonly pending = new Set<NodeJS.Timeout>();

  readonly after = (ms: number, run: () => void, alive?: 'alive'): void => {
    const timer = setTimeout(() => {
      this.pending.delete(timer);
      run();
    }, ms);
    if (alive === undefined) timer.unref();
    this.pending.add(timer);
  };

  clear(): void {
    for (const timer of this.pending) clearTimeout(timer);
    this.pending.clear();
  }
}

/** Handles requests. Checks host, method, path, key, rate limit and query in this order, then plays faults. */
export function requestHandler(
  settings: SandboxSettings,
  log: RequestLog,
  timers: Timers,
  plan: () => FaultPlan,
  goAway: (forMs: number) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const world = new World(settings);
  const limit = settings.rateLimit === undefined ? undefined : rateLimit(settings.rateLimit);
  const [fastest, slowest] = settings.latencyMs;
  const pace = world.random('latency');
  const routes = new Map<string, Operation>(
    Object.values(operations).map((each: Operation) => [settings.pathPrefix + each.spec.path, each]),
  );

  return (request, response) => {
    const [path, search] = cut(request.url ?? '', '?');
    const params = new URLSearchParams(search);
    const texts: { readonly [param: string]: string } = Object.fromEntries(params);
    const operation = routes.get(path);
    const entry: LogEntry = { operation: operation?.name, query: texts, path, at: settings.now(), status: 0 };
    log.add(entry);
    const serial = world.random('request', log.count()).hex(32);
    const requestId = serial.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    request.resume();

    const refuse = (refusal: SandboxRefusal, headers: { readonly [name: string]: string } = {}): void => {
      const { status, code, message } = refusal;
      entry.status = status;
      const body = JSON.stringify(
        wrapResponse(searchService.envelope, { data: null, code, message, requestId, timestamp: settings.now() }),
      );
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        ...headers,
      });
      response.end(body);
    };
    const respond = (): void => {
      if (request.socket.destroyed) return;
      try {
        if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? ''))
          throw new SandboxRefusal(403, 'this host name is not served here');
        if (request.method !== 'GET') throw new SandboxRefusal(405, `${request.method} is not allowed; every operation is a GET`);
        if (operation === undefined) throw new SandboxRefusal(404, 'there is no such operation');
        const key = request.headers[keyHeader];
        if (key !== settings.apiKey)
          throw new SandboxRefusal(
            401,
            key === undefined ? `the header ${searchService.key!.header} is missing` : 'this API key is not known',
          );
        const wait = limit?.(performance.now()) ?? 0;
        if (wait > 0) return refuse(new SandboxRefusal(429, 'too many requests'), retryAfter(settings, wait));
        const query = readQuery(operation, params, texts);
        const exchange = new SandboxCall({
          operation,
          query,
          world,
          response,
          socket: request.socket,
          requestId,
          after: timers.after,
          goAway,
          entry,
        });
        const fault = plan().forRequest(operation.name, texts);
        if (fault === undefined) return exchange.json(exchange.correct());
        entry.fault = fault.fault.fault;
        fault.action.play(exchange);
      } catch (error) {
        refuse(error instanceof SandboxRefusal ? error : new SandboxRefusal(500, `the sandbox failed: ${String(error)}`));
      }
    };
    if (slowest === 0) respond();
    else timers.after(fastest + pace.next() * (slowest - fastest), respond);
  };
}

function retryAfter({ rateLimit: options, now }: SandboxSettings, waitMs: number): { readonly [name: string]: string } {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (options?.retryAfter === 'date') {
    const at = now();
    return { 'retry-after': new Date(at + seconds * 1000).toUTCString(), date: new Date(at).toUTCString() };
  }
  return options?.retryAfter === true ? { 'retry-after': String(seconds) } : {};
}

function cut(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

/** Parses a request's parameters into a typed query. Throws a SandboxRefusal if the operation doesn't allow it. */
function readQuery(operation: Operation, search: URLSearchParams, texts: { readonly [param: string]: string }): WorldQuery {
  if (search.size !== Object.keys(texts).length) {
    const twice = Object.keys(texts).filter((name) => search.getAll(name).length > 1);
    throw new SandboxRefusal(400, `${operation.name}: given more than once: ${twice.join(', ')}`);
  }
  const query = coerceQuery(operation, texts);
  const issues = checkQuery(operation, query);
  if (issues.length > 0) throw new SandboxRefusal(400, `${operation.name}: ${issues.map(({ message }) => message).join('; ')}`);
  return query;
}
