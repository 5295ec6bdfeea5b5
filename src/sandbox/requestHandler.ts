import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { requestedAddress } from '../../operators/kit/parsedUrl.ts';
import { wrapRefusal } from '../contract/envelopeOf.ts';
import { Jobs } from './described/Jobs.ts';
import type { FaultPlan } from './faults.ts';
import { rateLimit } from './rateLimit.ts';
import { readQuery } from './readQuery.ts';
import type { RequestLog, SandboxRequest } from './RequestLog.ts';
import { SandboxCall } from './SandboxCall.ts';
import type { SandboxSettings } from './SandboxOptions.ts';
import { checkKeys, giveToken, tokenPath } from './checkKey.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import type { Timers } from './Timers.ts';
import { World } from './world/World.ts';
import { type Operation, planOf } from '../contract/index.ts';
import { patternOf, type Slot } from '../contract/template.ts';
import { givenBy } from '../contract/timeText.ts';

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
    const route = job === undefined && address !== undefined ? findRoute(request.method ?? 'GET', path, { params, body }) : undefined;
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
        const received = job?.query ?? readQuery(operation, { search: params, path: route!.values, headers: request.headers, body });
        entry.query = textsOf(received);
        const query = imitated.meant(operation, received, world);
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

interface Route {
  readonly operation: Operation;
  readonly isAllowed: boolean;
  /** The values in the path, by parameter. */
  readonly values: { readonly [param: string]: string };
}

/** What of a request tells operations apart that have one path. */
interface Told {
  readonly params: URLSearchParams;
  readonly body: string;
}

/** Finds the operation that a request is for. Of several at one path the method decides, and then what each of them always sends. */
function routesOf(operations: readonly Operation[], prefix: string): (method: string, path: string, told?: Told) => Route | undefined {
  const plain = new Map<string, Operation[]>();
  const open: { readonly pattern: RegExp; readonly slots: readonly Slot[]; readonly operation: Operation }[] = [];
  const paths = operations.flatMap((operation) => {
    const { path, laterPath } = planOf(operation);
    return [path, laterPath].flatMap((parts) => (parts === undefined ? [] : [{ operation, parts: [prefix, ...parts] }]));
  });
  for (const { operation, parts } of paths) {
    const slots = parts.filter((part) => typeof part !== 'string');
    const path = parts.map(String).join('');
    if (slots.length === 0) plain.set(path, [...(plain.get(path) ?? []), operation]);
    else open.push({ pattern: patternOf(parts, '([^/]+)'), slots, operation });
  }
  return (method, path, told) => {
    const found = (plain.get(path) ?? []).map((operation) => ({ operation, values: {} }));
    for (const { pattern, slots, operation } of found.length > 0 ? [] : open) {
      const [, ...texts] = pattern.exec(path) ?? [];
      const values = slots.map(({ name, time }, i) => {
        const text = decodeURIComponent(texts[i] ?? '');
        return [name, time === undefined ? text : givenBy(time, text)] as const;
      });
      if (texts.length > 0) found.push({ operation, values: Object.fromEntries(values) });
    }
    const able = found.filter(({ operation }) => planOf(operation).method === method);
    const route = (able.length > 1 && told !== undefined ? bestOf(able, told) : able[0]) ?? found[0];
    return route === undefined ? undefined : { ...route, isAllowed: able.length > 0 };
  };
}

/** The one all of whose constants a request has. Of several the one that has most. */
function bestOf<R extends Pick<Route, 'operation'>>(routes: readonly R[], { params, body }: Told): R | undefined {
  const value = parsedJson(body);
  const scored = routes.map((route) => {
    const plan = planOf(route.operation);
    const inBody = plan.body?.kind === 'object' ? plan.body.fields : [];
    const sent = [
      ...plan.query.map(({ wire, template }) => [template, params.get(wire)] as const),
      ...inBody.map(([field, template]) => [template, ownValue(value, field)] as const),
    ].flatMap(([template, given]) => (template.kind === 'constant' ? [textOfValue(template.value) === textOfValue(given)] : []));
    return { route, score: sent.includes(false) ? -1 : sent.length };
  });
  return scored.toSorted((one, other) => other.score - one.score)[0]?.route;
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
