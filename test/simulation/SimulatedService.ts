import type { Dispatcher } from 'undici';
import { hashOf, Random } from './Random.ts';
import type { Simulation } from './Simulation.ts';
import { type Mishap, type ServedWorld, type WorldOperation } from './World.ts';
import { narrowed, WorldTruth, type WorldRow } from './WorldTruth.ts';

/** A request as the service sees it. */
export interface Sent {
  readonly process: string;
  readonly operation: number;
  readonly key: string;
  /** What it leaves out. */
  readonly part: string | undefined;
  /** The first row that it asks for. */
  readonly from: number;
  /** The token whose pages the service counts. */
  readonly scroll: string | undefined;
  readonly address: string;
  /** What was sent back; undefined: no good response. */
  body: string | undefined;
}

interface Reply {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: string;
  /** The connection breaks, or nothing ever comes. */
  readonly instead?: 'reset' | 'stalled';
}

/** Who sends requests. */
interface Visitor {
  readonly name: string;
  readonly isAlive: boolean;
  inFlight: number;
  requests: number;
}

/** A service in memory, behind undici's own interface. */
export class SimulatedService {
  readonly truth: WorldTruth;
  readonly sent: Sent[] = [];
  day = 0;
  /** From now on all is well. */
  calm = false;
  /** Called with each request, before it is sent. */
  requested: (sent: Sent) => void = () => undefined;
  /** How often a page came that isn't as it should be, by address. */
  readonly wrong = new Map<string, number>();
  /** Called with each request whose good response is on its way. */
  came: (sent: Sent) => void = () => undefined;
  readonly #world: ServedWorld;
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #counts = new Map<string, number>();
  /** Where each token stands whose pages the service counts. */
  readonly #scrolls = new Map<string, number>();
  #second = -1;
  #inSecond = 0;

  constructor(world: ServedWorld, simulation: Simulation) {
    this.#world = world;
    this.#simulation = simulation;
    this.#random = new Random(hashOf(world.seed, 'service'));
    this.truth = new WorldTruth(world);
  }

  /** The way of a process to the service. */
  door(process: Visitor): Dispatcher {
    const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
      const simulation = this.#simulation;
      let isOver = !process.isAlive;
      let forget = (): void => undefined;
      const end = (): boolean => {
        if (isOver) return false;
        isOver = true;
        process.inFlight -= 1;
        forget();
        return true;
      };
      const controller = { abort: () => void end() } as unknown as Dispatcher.DispatchController;
      if (isOver) return true;
      process.requests += 1;
      process.inFlight += 1;
      const sent = this.#read(process.name, options.path);
      this.sent.push(sent);
      simulation.say(() => `requests ${sent.address}`);
      this.requested(sent);
      if (!process.isAlive) return true;
      handler.onRequestStart?.(controller, {});
      if (isOver) return true;
      forget = simulation.after(1 + this.#random.whole(0, 60), () => {
        if (isOver) return;
        const reply = this.#reply(sent);
        simulation.say(() => `${sent.address} → ${reply.instead ?? `${reply.status} ${reply.status === 200 ? shorten(reply.body) : ''}`}`);
        if (reply.instead === 'stalled' || !end()) return;
        if (reply.instead === 'reset')
          return handler.onResponseError?.(controller, Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
        const body = Buffer.from(reply.body);
        const headers = { 'content-type': 'application/json', ...reply.headers };
        handler.onResponseStart?.(controller, reply.status, headers, '');
        handler.onResponseData?.(controller, body);
        handler.onResponseEnd?.(controller, {});
      });
      return true;
    };
    return { dispatch } as unknown as Dispatcher;
  }

  #read(process: string, path: string): Sent {
    const [name = '', query] = path.split('?');
    const params = new URLSearchParams(query);
    const operation = Number(name.slice('/op'.length));
    const served = this.#world.operations[operation]!;
    const { paging, size } = served;
    const scrolled = (): number => (after === undefined ? 0 : this.#scrolls.get(after)!);
    const param = (of: string): string | undefined => params.get(of) ?? undefined;
    const key = param('key')!;
    const part = narrowed(param);
    const page = Number(param('page') ?? (paging === 'pages' ? 1 : 0));
    const after = param('after');
    const rows = this.truth.visible(operation, key, this.day, part, param('sort') === 'new');
    const from = {
      token: () => Number(after ?? 0),
      more: () => Number(after ?? 0),
      merge: () => Number(after ?? 0),
      scroll: scrolled,
      page: () => page * size,
      pages: () => (page - 1) * size,
      received: () => page,
      last: () => (after === undefined ? 0 : behind(rows, after)),
    }[paging]();
    const scroll = served.paging === 'scroll' ? [operation, key, part, param('sort')].join(' ') : undefined;
    return { process, operation, key, part, from, scroll, address: path, body: undefined };
  }

  #reply(sent: Sent): Reply {
    const { outage, limit } = this.#world;
    const { now } = this.#simulation;
    if (!this.calm && outage !== undefined && now >= outage.fromMs && now < outage.fromMs + outage.forMs)
      return outage.as === 'reset' ? { status: 0, body: '', instead: 'reset' } : { status: outage.as, body: 'away' };
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    this.#inSecond += 1;
    const left = limit === undefined ? Infinity : limit.perSecond - this.#inSecond;
    const told =
      limit?.told === true
        ? { 'x-ratelimit-limit': String(limit.perSecond), 'x-ratelimit-remaining': String(Math.max(0, left)), 'x-ratelimit-reset': '1' }
        : {};
    if (left < 0) return { status: 429, headers: { ...told, ...(limit?.told === true ? { 'retry-after': '1' } : {}) }, body: '' };
    const operation = this.#world.operations[sent.operation]!;
    const mishap = this.#mishap(sent, operation);
    const data = this.#page(sent, operation, mishap);
    const failure = mishap === undefined ? undefined : replies[mishap]?.(JSON.stringify(data));
    if (failure !== undefined) return failure;
    if (mishap !== undefined) this.wrong.set(sent.address, (this.wrong.get(sent.address) ?? 0) + 1);
    sent.body = JSON.stringify(data);
    if (sent.scroll !== undefined) this.#scrolls.set(sent.scroll, sent.from + operation.size);
    this.came(sent);
    return { status: 200, headers: told, body: sent.body };
  }

  /** What goes wrong with this response. */
  #mishap({ operation, key, part = '' }: Sent, { mishaps = [] }: WorldOperation): Mishap['as'] | undefined {
    const query = `${operation} ${key} ${part}`;
    const count = (from: number): number => {
      const counted = `${query} ${from}`;
      const nth = (this.#counts.get(counted) ?? 0) + 1;
      this.#counts.set(counted, nth);
      return nth;
    };
    const all = count(0);
    const later = mishaps.some(({ day = 0 }) => day > 0) && this.day > 0 ? count(1) : 0;
    if (this.calm) return undefined;
    const fits = ({ every, nth: first, times, day = 0 }: Mishap, at: number): boolean => {
      const nth = day > 0 ? later : all;
      return nth >= first && nth < first + times && hashOf(this.#world.seed, query, at) % every === 0;
    };
    return mishaps.find(fits)?.as;
  }

  #page(
    { operation, key, part, from, scroll, address }: Sent,
    { paging, size, claims }: WorldOperation,
    mishap: Mishap['as'] | undefined,
  ): object {
    const all = this.truth.visible(operation, key, this.day, part, address.includes('sort=new'));
    const first = mishap === 'samePage' ? Math.max(0, from - size) : from;
    const length = mishap === 'emptyPage' ? 0 : mishap === 'shortPage' ? Math.ceil(size / 2) : size;
    const rows: readonly WorldRow[] = all.slice(first, first + length);
    const hasMore = from + size < all.length && mishap !== 'lostToken';
    return {
      rows,
      ...(paging === 'token' || paging === 'more' ? { next: paging === 'more' || hasMore ? String(from + size) : null } : {}),
      ...(scroll === undefined ? {} : { next: mishap === 'lostToken' ? null : scroll }),
      ...(paging === 'more' ? { more: hasMore } : {}),
      ...(paging === 'merge' && hasMore ? { onward: { after: String(from + size), hint: 'any' } } : {}),
      ...(paging === 'pages' ? { pages: mishap === 'lostToken' ? 1 : Math.ceil(all.length / size) } : {}),
      ...(claims === undefined ? {} : { total: this.truth.rowsOf(operation, key, this.day).length + claims }),
    };
  }
}

/** The number of rows up to the one with this id. It need not be there any more. */
function behind(rows: readonly WorldRow[], id: string): number {
  const at = rows.findIndex((row) => row.id === id);
  return at < 0 ? rows.findLastIndex(({ rank }) => rank <= Number(id.slice(id.lastIndexOf('.') + 1))) + 1 : at + 1;
}

const replies: { readonly [as: string]: ((body: string) => Reply) | undefined } = {
  '500': () => ({ status: 500, body: 'broken' }),
  '503': () => ({ status: 503, body: 'busy' }),
  '400': () => ({ status: 400, body: '{"message":"no such thing"}' }),
  '429': () => ({ status: 429, headers: { 'retry-after': '2' }, body: '' }),
  reset: () => ({ status: 0, body: '', instead: 'reset' }),
  stalled: () => ({ status: 0, body: '', instead: 'stalled' }),
  noList: (body) => ({ status: 200, body: withoutList(body) }),
  maintenance: () => ({ status: 200, body: '{"status":"maintenance"}' }),
  torn: (body) => ({ status: 200, body: body.slice(0, Math.floor(body.length / 2)) }),
};

/** The page with null in place of its list, or under another name, or without it. */
function withoutList(body: string): string {
  const { rows, ...rest } = JSON.parse(body) as { readonly rows: readonly WorldRow[] };
  return JSON.stringify([{ ...rest, rows: null }, { ...rest, found: rows }, rest][body.length % 3]);
}

function shorten(body: string): string {
  const data = JSON.parse(body.startsWith('{') && body.endsWith('}') ? body : '{}') as { readonly rows?: readonly WorldRow[] | null };
  const { rows, ...rest } = data;
  return `${rows === undefined || rows === null ? 'no rows' : `rows ${rows.map(({ id }) => id.slice(id.lastIndexOf('.') + 1)).join(' ')}`} ${JSON.stringify(rest)}`;
}
