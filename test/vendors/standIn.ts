import type { IncomingHttpHeaders } from 'node:http';
import { bodyOf, startServer } from '../client/startServer.ts';
import { hash, timeIn, type World } from './world.ts';

/** A request as it came. */
export interface VendorCall {
  readonly method: string;
  readonly path: string;
  /** The parameters of the address. A repeated one is a list. */
  readonly query: { readonly [name: string]: string | readonly string[] };
  /** Parsed, undefined without one. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface VendorReply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: unknown;
  /** What it costs. @default 0 */
  readonly cost?: number;
}

export interface StandInOptions {
  /** The key that it takes. */
  readonly key?: string;
  /** What is left. @default Infinity */
  readonly credits?: number;
  /** How many requests it takes in a time, and at once. @default those of the vendor */
  readonly limit?: { readonly requests: number; readonly perMs: number };
  readonly atOnce?: number;
  /** Odd behaviours that the vendor shows at times, by name: those of its file. @default none */
  readonly odd?: readonly string[];
  /** @default a world of its own, on its first day */
  readonly world?: World;
}

/** Says that a task may be asked for at once: a test doesn't wait as long as one would for the vendor. */
export const atOnce = { 'retry-after': '0.02' };

/** What a vendor is, apart from its server. */
export interface Vendor {
  readonly key: string;
  readonly limit?: { readonly requests: number; readonly perMs: number };
  readonly atOnce?: number;
  readonly keyOf: (call: VendorCall) => string | undefined;
  readonly says: { readonly [trouble in 'wrongKey' | 'noCredits' | 'tooFast' | 'tooMany' | 'outage']: VendorReply };
  readonly answer: (call: VendorCall, standIn: StandIn) => VendorReply;
}

/** A vendor that answers on this machine. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly world: World;
  readonly odd: ReadonlySet<string>;
  /** All that came, with what was answered. */
  readonly requests: (VendorCall & { readonly status: number; readonly cost: number; readonly answer: unknown })[];
  /** Parameters that came but that the vendor doesn't take. */
  readonly unknown: string[];
  /** What it counted, in credits or dollars. */
  charged: number;
  /** What is left. */
  credits: number;
  /** Troubles to switch on: for all requests, or for so many. */
  outage: boolean | number;
  tooFast: boolean | number;
  refuseKey: boolean;
  now(): number;
  close(): Promise<void>;
}

/** Starts a vendor on a free port of this machine. */
export async function startStandIn(vendor: Vendor, options: StandInOptions = {}): Promise<StandIn> {
  const { key = vendor.key, credits = Infinity, limit = vendor.limit, atOnce = vendor.atOnce ?? Infinity, odd = [] } = options;
  const { world = { day: 0 } } = options;
  let times: number[] = [];
  let open = 0;
  const isOn = (trouble: 'outage' | 'tooFast'): boolean => {
    const left = standIn[trouble];
    if (typeof left === 'number' && left > 0) standIn[trouble] = left - 1;
    return left === true || (typeof left === 'number' && left > 0);
  };
  const answer = (call: VendorCall): VendorReply => {
    if (isOn('outage')) return vendor.says.outage;
    if (standIn.refuseKey || vendor.keyOf(call) !== key) return vendor.says.wrongKey;
    if (isOn('tooFast')) return vendor.says.tooFast;
    if (open > atOnce) return vendor.says.tooMany;
    if (limit !== undefined) {
      times = times.filter((time) => time > Date.now() - limit.perMs);
      if (times.length >= limit.requests) return vendor.says.tooFast;
      times.push(Date.now());
    }
    const reply = vendor.answer(call, standIn);
    if ((reply.cost ?? 0) > standIn.credits) return vendor.says.noCredits;
    standIn.credits -= reply.cost ?? 0;
    standIn.charged += reply.cost ?? 0;
    return reply;
  };
  const server = await startServer((request, response) => {
    open += 1;
    response.on('close', () => (open -= 1));
    void bodyOf(request).then((text) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://vendor');
      const query = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, one(searchParams.getAll(name))]));
      const call = { method: request.method!, path: pathname, query, body: parsed(text), headers: request.headers };
      const { status = 200, headers, body, cost = 0 } = answer(call);
      standIn.requests.push({ ...call, status, cost, answer: body });
      // some time, in which others come
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      }, 3);
    });
  });
  const standIn: StandIn = {
    url: server.url, key, world, credits, odd: new Set(odd), requests: [], unknown: [], charged: 0, outage: false, tooFast: false, refuseKey: false,
    now: () => timeIn(world),
    close: () => Promise.resolve(server[Symbol.asyncDispose]()),
    [Symbol.asyncDispose]: () => Promise.resolve(server[Symbol.asyncDispose]()),
  }; // prettier-ignore
  return standIn;
}

const one = (values: readonly string[]): string | readonly string[] => (values.length === 1 ? values[0]! : values);

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

export type Given = { readonly [name: string]: unknown };

/** The first thing that is wrong with some parameters. */
export interface ParamFault {
  readonly name: string;
  readonly is: 'missing' | 'wrong';
  readonly value?: unknown;
  readonly allowed?: readonly string[];
}

/** Checks parameters against a text like `q*, page#, safe=active|off`: `*` is required, `#` a whole number. Notes those that it lacks. */
export function checkParams(spec: string, given: Given, standIn: StandIn, where: string): ParamFault | undefined {
  const known = spec.split(', ').map((part) => /^([\w.[\]-]+)(\*?)(#?)(?:=(.*))?$/.exec(part)!);
  const names = new Set(known.map(([, name]) => name!));
  standIn.unknown.push(
    ...Object.keys(given)
      .filter((name) => !names.has(name))
      .map((name) => `${where}: ${name}`),
  );
  for (const [, name, needed, isWhole, values] of known) {
    const value = given[name!];
    const allowed = values?.split('|');
    if (value === undefined || value === '') {
      if (needed === '*') return { name: name!, is: 'missing' };
    } else if ((isWhole === '#' && !/^-?\d+$/.test(textOf(value))) || (allowed !== undefined && !allowed.includes(textOf(value))))
      return { name: name!, is: 'wrong', value, ...(allowed !== undefined && { allowed }) };
  }
  return undefined;
}

/** A parameter as text or as a number. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
export const textAt = (given: Given, name: string): string | undefined => (given[name] === undefined ? undefined : textOf(given[name]));
export const numberAt = (given: Given, name: string, usual: number): number => Number(given[name] ?? usual);

/** The part of a list from a row on. */
export const part = <T>(rows: readonly T[], from: number, size: number): T[] => rows.slice(from, from + size);

/** A token that only this vendor can read, with the time of its making. */
export function seal(standIn: StandIn, kind: string, ...parts: readonly unknown[]): string {
  const body = Buffer.from(JSON.stringify([standIn.now(), ...parts])).toString('base64url');
  return `CAES${hash(kind, body).toString(36)}_${body}`;
}

/** What is in a token. undefined if it isn't one of this kind, or is older than `lifeMs`. */
export function unseal(standIn: StandIn, kind: string, token: string, lifeMs = Infinity): readonly unknown[] | undefined {
  const [, sign, body] = /^CAES([\da-z]+)_([\w-]+)/.exec(token) ?? [];
  if (body === undefined || sign !== hash(kind, body).toString(36)) return undefined;
  const [made, ...parts] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, ...unknown[]];
  return standIn.now() - made > lifeMs ? undefined : parts;
}

/** A page of a list by token: its rows and the token of what follows. 'stale' for a token of another query. */
export function pageByToken<T>(
  standIn: StandIn,
  kind: string,
  owner: unknown,
  token: string | undefined,
  rows: readonly T[],
  size: (from: number) => number,
) {
  const of = hash(kind, JSON.stringify(owner));
  const opened = token === undefined ? [of, 0] : unseal(standIn, kind, token);
  if (opened === undefined || opened[0] !== of) return 'stale';
  const from = opened[1] as number;
  const to = from + size(from);
  return { from, rows: rows.slice(from, to), next: to < rows.length ? seal(standIn, kind, of, to) : undefined };
}

/** `@latitude,longitude,14z` or `…,10000m`. undefined if it is neither. */
export function viewOf(ll: string): { latitude: number; longitude: number; zoom: number } | undefined {
  const [, latitude, longitude, size, unit] = /^@(-?[\d.]+),(-?[\d.]+),([\d.]+)(z|m)$/.exec(ll) ?? [];
  if (unit === undefined) return undefined;
  const zoom = unit === 'z' ? Number(size) : Math.log2(40_000_000 / Number(size));
  return { latitude: Number(latitude), longitude: Number(longitude), zoom };
}
