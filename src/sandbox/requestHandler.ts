import type { IncomingMessage, ServerResponse } from 'node:http';
import { wrapResponse } from '../contract/responseOf.ts';
import type { FaultPlan } from './faults/FaultPlan.ts';
import { imitated } from './imitated.ts';
import { rateLimit } from './rateLimit.ts';
import { readQuery } from './readQuery.ts';
import type { RequestLog, SandboxRequest } from './RequestLog.ts';
import { SandboxCall } from './SandboxCall.ts';
import type { SandboxSettings } from './SandboxOptions.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import type { Timers } from './Timers.ts';
import { World } from './world/World.ts';

interface HandlerParts {
  readonly log: RequestLog;
  readonly timers: Timers;
  readonly plan: () => FaultPlan;
  readonly goAway: (forMs: number) => void;
}

type LogEntry = { -readonly [K in keyof SandboxRequest]: SandboxRequest[K] };

/** Handles requests. Checks host, method, path, key, rate limit and query in this order, then plays faults. */
export function requestHandler(
  settings: SandboxSettings,
  { log, timers, plan, goAway }: HandlerParts,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { service } = imitated;
  const world = new World(settings);
  const limit = settings.rateLimit === undefined ? undefined : rateLimit(settings.rateLimit);
  const [fastest, slowest] = settings.latencyMs;
  const pace = world.random('latency');
  const routes = new Map(Object.values(service.operations).map((each) => [settings.pathPrefix + each.spec.path, each]));

  return (request, response) => {
    const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s);
    const params = new URLSearchParams(search);
    const operation = routes.get(path);
    const entry: LogEntry = { operation: operation?.name, query: Object.fromEntries(params), path, at: settings.now(), status: 0 };
    log.add(entry);
    const serial = world.random('request', log.count()).hex(32);
    const requestId = serial.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    request.resume();

    const refuse = ({ status, code, message, headers }: SandboxRefusal): void => {
      entry.status = status;
      const body = JSON.stringify(wrapResponse(service.envelope, { data: null, code, message, requestId, timestamp: settings.now() }));
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
        if (operation === undefined) throw new SandboxRefusal(404, 'there is no such operation');
        checkKey(request, settings.apiKey);
        const waitMs = limit?.(performance.now()) ?? 0;
        if (waitMs > 0) throw new SandboxRefusal(429, 'too many requests', 429, retryAfter(settings, waitMs));
        const query = readQuery(operation, params);
        const call = new SandboxCall({ operation, query, world, response, socket, requestId, after: timers.after, goAway, entry });
        const due = plan().forRequest(operation.name, entry.query);
        if (due === undefined) return call.json(call.correct());
        entry.fault = due.fault.fault;
        due.action.play(call);
      } catch (error) {
        refuse(error instanceof SandboxRefusal ? error : new SandboxRefusal(500, `the sandbox failed: ${String(error)}`));
      }
    };
    if (slowest === 0) respond();
    else timers.after(fastest + pace.next() * (slowest - fastest), respond);
  };
}

function checkAddress({ headers, method }: IncomingMessage): void {
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? ''))
    throw new SandboxRefusal(403, 'this host name is not served here');
  if (method !== 'GET') throw new SandboxRefusal(405, `${method} is not allowed; every operation is a GET`);
}

function checkKey({ headers }: IncomingMessage, apiKey: string): void {
  const { key: spec } = imitated.service;
  if (spec === undefined || !('header' in spec)) return;
  const { header } = spec;
  const key = headers[header.toLowerCase()];
  if (key === apiKey) return;
  throw new SandboxRefusal(401, key === undefined ? `the header ${header} is missing` : 'this API key is not known');
}

function retryAfter({ rateLimit: options, now }: SandboxSettings, waitMs: number): SandboxRefusal['headers'] {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (options?.retryAfter === 'date') {
    const at = now();
    return { 'retry-after': new Date(at + seconds * 1000).toUTCString(), date: new Date(at).toUTCString() };
  }
  return options?.retryAfter === true ? { 'retry-after': String(seconds) } : {};
}
