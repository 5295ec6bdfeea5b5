import type { Socket } from 'node:net';
import { instead } from '../../operators/check/nearestName.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { either, like, listOf, number, oneOf, text, whole } from '../../operators/options/kinds.ts';
import { type OptionKind, optionError, OptionSet } from '../../operators/options/OptionSet.ts';
import { pagingRequestOf, responseOf } from '../contract/index.ts';
import type { OperationName } from '../search/operations.ts';
import type { FaultCall, SandboxCall } from './SandboxCall.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import { Random } from './world/Random.ts';

/** A fault of your own. The log shows the function's name. */
export type PlayFault = (call: FaultCall) => void;

/** The moment at which a fault of the connection strikes. */
export type FaultStage =
  /** After the connection is accepted, before anything is read. Such a fault counts connections, not requests. */
  | 'connect'
  /** After the request is read, before anything of the response is sent. */
  | 'before'
  /** In the middle of the headers. */
  | 'headers'
  /** In the middle of the body. */
  | 'body';

/** A number of seconds, a text to send as it is (`'soon'`, `'-1'`, `'1e9'`), or a number of seconds from now to send as an HTTP date. */
export type RetryAfter = number | string | { readonly dateInSeconds: number };

interface StageOptions {
  /** When it strikes. @default 'before' */
  readonly at?: FaultStage | undefined;
}

interface StatusOptions {
  readonly status: number;
  /** A Retry-After header to send. @default none */
  readonly retryAfter?: RetryAfter | undefined;
  /** @default a JSON document with the status */
  readonly body?: string | undefined;
}

interface DelayOptions extends StageOptions {
  /** The length of the pause. @default 100 */
  readonly ms?: number | undefined;
}

interface EmptyPageOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** The faults with a name, and their own options. */
interface NamedFaults {
  /** A response with another status. */
  status: StatusOptions;
  /** A correct response that is late, or pauses midway. */
  delay: DelayOptions;
  /** The connection is reset. */
  reset: StageOptions;
  /** Nothing more is sent, and the connection stays open. */
  stall: StageOptions;
  /** An empty page that still has a next page, also if it is the last one. */
  emptyPage: EmptyPageOptions;
  /** Tokens have expired: every page but the first is refused. */
  staleToken: object;
  /** The connection is closed cleanly in the middle of the body. */
  tornBody: object;
}

export type FaultName = keyof NamedFaults;

/** The name of an operation of the service that is imitated. */
type AnyName = OperationName | (string & {});

/** The requests that a fault is played on: all that match. `nth`, `share` and `times` narrow them. */
export interface FaultWhen {
  /** Only requests of this operation or these operations. @default any */
  readonly operation?: AnyName | readonly AnyName[] | undefined;
  /** Only requests whose query has these values. @default any */
  readonly query?: { readonly [param: string]: string } | undefined;
  /** Which of the matching requests, counted from 1. @default all */
  readonly nth?: number | readonly number[] | undefined;
  /** The share of matching requests to play it on, drawn by the seed. @default 1 */
  readonly share?: number | undefined;
  /** How often to play it at most. @default Infinity */
  readonly times?: number | undefined;
}

/** A fault to play: its name, its conditions, and its own options; or a function of yours and its conditions. */
export type Fault =
  | { [N in FaultName]: { readonly fault: N } & FaultWhen & NamedFaults[N] }[FaultName]
  | ({ readonly fault: PlayFault } & FaultWhen);

const nth = whole({ from: 1 });
const when = {
  operation: either(text(), listOf(text())),
  query: like<{ readonly [param: string]: string }>('an object', (value) => typeof value === 'object'),
  nth: either(nth, listOf(nth)),
  share: number({ from: 0, to: 1 }),
  times: number({ from: 1 }),
};
const at = oneOf<FaultStage>('connect', 'before', 'headers', 'body');
const retryAfter = either(
  number(),
  like<string>('a text', (value) => typeof value === 'string'),
  like<{ readonly dateInSeconds: number }>('dateInSeconds', (value) => typeof value === 'object'),
);
const optionsOf: { readonly [N in FaultName]: { readonly [option: string]: OptionKind } } = {
  status: { status: whole({ from: 100, to: 599 }).needed(), retryAfter, body: like('a text', (value) => typeof value === 'string') },
  delay: { at, ms: number({ from: 0 }) },
  reset: { at },
  stall: { at },
  emptyPage: { list: text() },
  staleToken: {},
  tornBody: {},
};

/** A connection at the moment a fault strikes. */
interface Wire {
  readonly socket: Socket;
  /** The rest of the correct response, which isn't sent yet. Empty if no request was read. */
  readonly rest: Buffer;
  readonly after: (ms: number, run: () => void) => void;
  /** Accepts the connection after all. undefined if it was accepted before. */
  readonly accept: (() => void) | undefined;
}

/** Plays a fault of the connection, after the correct response is sent up to `at`. */
function strike(fault: Fault, { socket, rest, after, accept }: Wire): void {
  if (fault.fault === 'reset') socket.resetAndDestroy();
  if (fault.fault === 'tornBody') socket.destroySoon();
  if (fault.fault !== 'delay') return;
  after(fault.ms ?? 100, () => {
    if (accept !== undefined) accept();
    else if (!socket.destroyed) socket.end(rest);
  });
}

/** Sends the correct response up to the fault's moment, then plays the fault. */
function sendUntil(fault: Fault, call: SandboxCall): void {
  const at = fault.fault === 'tornBody' ? 'body' : (stageOf(fault) ?? 'before');
  const { head, body } = call.raw(at === 'body' ? 200 : 0);
  const { socket, after } = call;
  const good = Buffer.concat([head, body]);
  const cut = { connect: 0, before: 0, headers: head.length >> 1, body: head.length + (body.length >> 1) }[at];
  if (cut > 0) socket.write(good.subarray(0, cut));
  // the written bytes must leave before the fault strikes
  setImmediate(() => strike(fault, { socket, rest: good.subarray(cut), after, accept: undefined }));
}

function stageOf(fault: Fault): FaultStage | undefined {
  return 'at' in fault ? fault.at : undefined;
}

function play(fault: Fault, call: SandboxCall): void {
  if (typeof fault.fault === 'function') return fault.fault(call);
  if (fault.fault === 'status') return sendStatus(fault, call);
  if (fault.fault === 'emptyPage') return sendEmptyPage(fault, call);
  if (fault.fault !== 'staleToken') return sendUntil(fault, call);
  const { operation, query } = call;
  const [param = ''] = pagingRequestOf(operation.spec.paging).params;
  if (query[param] !== undefined) throw new SandboxRefusal(400, `${param}: this token has expired`);
  call.json(call.correct());
}

function sendStatus({ status, retryAfter, body }: StatusOptions, call: SandboxCall): void {
  const now = call.world.now();
  const text = typeof retryAfter === 'object' ? new Date(now + retryAfter.dateInSeconds * 1000).toUTCString() : String(retryAfter);
  // the client compares such a date with the date of the response
  const headers: { readonly [name: string]: string } =
    retryAfter === undefined ? {} : { 'retry-after': text, date: new Date(now).toUTCString() };
  if (body === undefined) call.json(call.wrap(null, status, `status ${status}`), status, headers);
  else call.send(status, body, headers);
}

function sendEmptyPage({ list }: EmptyPageOptions, call: SandboxCall): void {
  const path = list ?? responseOf(call.operation, call.query).rows;
  if (path === null) throw new Error(`${call.operation.name} has no list of rows; name one with 'list'`);
  const data = structuredClone(call.data(call.world.withoutEnd())) as { [field: string]: unknown };
  const keys = path.split('.');
  let holder = data;
  for (const key of keys.slice(0, -1)) holder = (holder[key] ??= {}) as typeof data;
  holder[keys.at(-1)!] = [];
  call.json(call.wrap(data));
}

/** A fault, and how often it matched and was played. */
interface Rule {
  readonly fault: Fault;
  readonly random: Random;
  seen: number;
  played: number;
}

/** Decides which fault, if any, is played on a request or a connection. */
export class FaultPlan {
  readonly #rules: readonly Rule[];

  constructor(faults: readonly Fault[], seed: string, operations: readonly string[]) {
    this.#rules = faults.map((fault, index) => {
      checkFault(fault, operations);
      return { fault, random: new Random(`${seed}\0fault\0${index}`), seen: 0, played: 0 };
    });
  }

  /** The fault that is due for a request. All faults that match count the request. If several are due, it is the first. */
  forRequest(
    operation: string,
    query: { readonly [param: string]: string },
  ): { readonly name: string; readonly play: (call: SandboxCall) => void } | undefined {
    const fault = due(this.#rules.filter(({ fault }) => stageOf(fault) !== 'connect' && matches(fault, operation, query)));
    if (fault === undefined) return undefined;
    return { name: typeof fault.fault === 'function' ? fault.fault.name : fault.fault, play: (call) => play(fault, call) };
  }

  /** Plays the fault that is due for a connection that was just accepted. false: none is. */
  onConnection(socket: Socket, after: Wire['after'], accept: () => void): boolean {
    const fault = due(this.#rules.filter(({ fault }) => stageOf(fault) === 'connect'));
    if (fault !== undefined) strike(fault, { socket, rest: Buffer.alloc(0), after, accept });
    return fault !== undefined;
  }
}

function due(rules: readonly Rule[]): Fault | undefined {
  let chosen: Rule | undefined;
  for (const rule of rules) {
    const { nth, share = 1, times = Infinity } = rule.fault;
    rule.seen++;
    const drawn = share >= 1 || rule.random.chance(share);
    const counted = nth === undefined || listed(nth).includes(rule.seen);
    if (chosen === undefined && drawn && counted && rule.played < times) chosen = rule;
  }
  if (chosen !== undefined) chosen.played++;
  return chosen?.fault;
}

function matches({ operation, query }: Fault, name: string, texts: { readonly [param: string]: string }): boolean {
  if (operation !== undefined && !listed<string>(operation).includes(name)) return false;
  return query === undefined || Object.entries(query).every(([param, text]) => ownValue(texts, param) === text);
}

function listed<T extends string | number>(value: T | readonly T[]): readonly T[] {
  return typeof value === 'object' ? value : [value];
}

function checkFault(fault: Fault, operations: readonly string[]): void {
  const { fault: name, ...options } = fault;
  const isOwn = typeof name === 'function';
  if (!isOwn && !Object.hasOwn(optionsOf, name))
    throw new RangeError(`startSandbox: no fault is called '${name as string}'${instead(name, Object.keys(optionsOf))}`);
  const caller = `startSandbox: the fault '${isOwn ? name.name : name}'`;
  new OptionSet({ ...when, ...(isOwn ? {} : optionsOf[name]) }).check(caller, options);
  const { operation } = fault;
  for (const one of listed<string>(operation ?? [])) {
    if (!operations.includes(one)) throw optionError(caller, 'operation', 'the name of an operation', one, operations);
  }
  const ofRequests = operation === undefined ? 'query' : 'operation';
  if (stageOf(fault) === 'connect' && fault[ofRequests] !== undefined)
    throw optionError(caller, ofRequests, "left out: 'connect' comes before any request", fault[ofRequests]);
}
