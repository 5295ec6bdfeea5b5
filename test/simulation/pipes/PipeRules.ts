import { TrawlerError } from '../../../src/errors/index.ts';
import { Broken } from '../Broken.ts';
import type { SimulatedProcess } from '../SimulatedProcess.ts';
import type { Sent, SimulatedService } from '../SimulatedService.ts';
import type { WorldRow } from '../WorldTruth.ts';
import { isAsker, type Asker, type PipeWorld } from './PipeWorld.ts';
import { expectedOf, type Expected } from './reference.ts';

/** How many rows may wait in front of a step before all above it pauses. */
const mark = 100;

/** How a subscriber fared. */
export interface Taken {
  readonly rows: WorldRow[];
  /** `left`: it unsubscribed. */
  end?: 'complete' | 'left' | { readonly error: unknown };
}

/** What must be true of a pipe. */
export class PipeRules {
  broken: Broken | undefined;
  /** Everybody has what they wanted, so nothing more may be sent. */
  isOver = false;
  readonly expected: Expected;
  readonly #world: PipeWorld;
  readonly #process: SimulatedProcess;
  readonly #askers: readonly Asker[];
  readonly #sent = new Map<string, number>();
  readonly #brought = new Map<number, number>();
  /** The keys that were walked, by operation. */
  readonly #walked = new Map<number, Set<string>>();
  /** Rows that a slow sink is done with. */
  consumed = 0;
  /** Queries that failed and were named. */
  skipped = 0;
  #pages = 0;
  readonly #wrong: ReadonlyMap<string, number>;
  /** A walk was told to lack rows, and rightly. */
  #isShort = false;

  constructor(world: PipeWorld, service: SimulatedService, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
    this.#askers = world.steps.filter(isAsker);
    this.expected = expectedOf(world, service.truth);
    this.#wrong = service.wrong;
    service.requested = (sent) => this.#requested(sent);
  }

  brought(operation: number): void {
    add(this.#brought, operation);
  }

  /** A walk is told to lack rows. Only a page that came wrong twice excuses it: that is how often one is requested. */
  short({ operation, query }: { readonly operation: string; readonly query: object }): void {
    const { key } = query as { readonly key: string };
    const isExcused = [...this.#wrong].some(([address, times]) => times > 1 && isOf(address, operation, key));
    if (!isExcused) this.#break('short', `a walk of ${operation} ${key} is told to lack rows, and no page of it came wrong twice`);
    this.#isShort = true;
  }

  #requested({ operation, key, address }: Sent): void {
    const { inFlight, maxRequests = Infinity } = this.#world;
    const { requests, inFlight: now } = this.#process;
    if (requests > maxRequests) return this.#break('budget', `${requests} requests of ${maxRequests}`);
    if (now > inFlight) return this.#break('concurrency', `${now} requests in flight of ${inFlight}`);
    if (this.isOver) return this.#break('after the end', `${address} is requested, and nobody wants it any more`);
    const walks = this.expected.walks.get(`${operation} ${key}`);
    if (walks === undefined) return this.#break('needless', `${address} is of no query of this pipe`);
    const walked = this.#walked.get(operation);
    if (walked === undefined) this.#walked.set(operation, new Set([key]));
    else walked.add(key);
    if (!this.#isCalm) return;
    const count = add(this.#sent, address);
    if (count === 1) this.#pages += 1;
    const most = walks * this.#copies * 2; // the end of a walk may be looked at twice
    if (count > most) this.#break('needless', `${address} is requested ${count} times, and walked ${walks} times`);
    this.#checkBacklog(operation, address);
  }

  /** A pipe that holds what is above it never has much more than it needs soon. */
  #checkBacklog(operation: number, address: string): void {
    if (!this.#holds) return;
    const { operations, inFlight, sink } = this.#world;
    const below = this.#askers[operation + 1];
    if (below !== undefined && (below.from === 'group' || below.once === true)) return;
    if (below === undefined && sink !== 'loop' && sink !== 'fanOut') return;
    const room = below === undefined ? (sink === 'loop' ? 1 : mark + 1) : mark + below.concurrency;
    const used = below === undefined ? this.consumed : (this.#walked.get(operation + 1)?.size ?? 0);
    const waiting = (this.#brought.get(operation) ?? 0) - used;
    if (waiting > room + (inFlight + 1) * operations[operation]!.size)
      this.#break('backlog', `${waiting} rows of step ${operation} wait, and ${address} is requested`);
  }

  #break(rule: string, what: string): void {
    this.broken ??= new Broken(rule, what);
  }

  get #isCalm(): boolean {
    return this.#world.operations.every(({ mishaps }) => mishaps === undefined);
  }

  get #holds(): boolean {
    const holding = ['walk', 'fanOut', 'mergeBounded', 'named', 'shareHeld'];
    return this.#world.steps.every(({ kind }) => holding.includes(kind)) && this.#copies === 1;
  }

  /** How often the queries may be walked. */
  get #copies(): number {
    const { steps, life } = this.#world;
    return 2 ** steps.filter(({ kind }) => kind === 'merge').length * (life.kind === 'twice' ? 2 : 1);
  }

  /** A subscriber has its end. */
  ends(taken: Taken): void {
    const { rows, end } = taken;
    const { ordered, fails, mayFail, skips } = this.expected;
    const whole = this.expected.whole && !this.#isShort;
    const count = this.#isShort ? undefined : this.expected.count;
    const { maxRequests, life } = this.#world;
    this.#checkRows(rows, ordered && whole);
    const mayBreak = mayFail || maxRequests !== undefined || life.kind === 'close';
    if (typeof end === 'object') return this.#checkError(end.error, mayBreak);
    const isLeft = end === 'left' || life.kind === 'takeUntil' || life.kind === 'leaveAt' || life.kind === 'leave';
    if (isLeft || life.kind === 'close') return;
    if (fails && whole && !this.#skipsSome) throw new Broken('error', 'a query failed, and the pipe completed');
    if (whole && !this.#skipsSome && this.#copies === 1 && this.skipped !== skips)
      throw new Broken('skipped', `${this.skipped} queries were named as skipped, and ${skips} failed`);
    if (count !== undefined && rows.length !== count) throw new Broken('lost', `${rows.length} rows came of ${count}`);
  }

  get #skipsSome(): boolean {
    return this.#world.steps.some(({ kind }) => kind === 'switchMap' || kind === 'take');
  }

  /** Each row is one of those that may come, and no more often. */
  #checkRows(rows: readonly WorldRow[], inOrder: boolean): void {
    const left = new Map<string, number>();
    for (const { id } of this.expected.rows) add(left, id);
    for (const [at, { id }] of rows.entries()) {
      if (inOrder && this.expected.rows[at]?.id !== id) throw new Broken('order', `row ${at} is ${id}, not ${this.expected.rows[at]?.id}`);
      if (add(left, id, -1) < 0) throw new Broken('twice', `${id} came more often than it should`);
    }
  }

  #checkError(error: unknown, may: boolean): void {
    if (!(error instanceof TrawlerError)) throw new Broken('error', `not one of ours: ${String((error as Error).stack)}`);
    if (!may) throw new Broken('error', `for no reason: ${String(error)}`);
    const { operation, query, status, name, attempts } = error;
    if (name === 'HttpError' && (operation === undefined || query === undefined || status !== 400 || attempts === undefined))
      throw new Broken('error', `it lacks fields: ${JSON.stringify(error)}`);
  }

  /** After everybody has left: all has come back. */
  over(held: number): void {
    const { openFiles, inFlight, name } = this.#process;
    if (openFiles.length > 0) throw new Broken('open files', `${openFiles.join(', ')} at the end of ${name}`);
    if (inFlight !== 0) throw new Broken('in flight', `${inFlight} requests at the end of ${name}`);
    if (held !== 0) throw new Broken('timers', `${held} at the end of ${name}`);
    this.#checkCost();
  }

  /** Where one thing is done after the other, it costs what plain loops cost. */
  #checkCost(): void {
    const { steps, inFlight, sink, life } = this.#world;
    const held = ['walk', 'fanOut', 'mergeBounded', 'named', 'filter', 'take', 'distinctBy'];
    const isPlain = inFlight === 1 && sink === 'array' && life.kind === 'whole' && this.#isCalm && !this.expected.mayFail;
    const isOrdered = steps.every(
      (step) => held.includes(step.kind) && (!isAsker(step) || (step.concurrency === 1 && step.lookahead === undefined)),
    );
    if (!isPlain || !isOrdered || !this.expected.ordered || !this.expected.whole) return;
    const walks = [...this.expected.walks.values()].reduce((sum, count) => sum + count, 0);
    const most = this.expected.pages + walks;
    if (this.#pages > most) throw new Broken('cost', `${this.#pages} pages, where loops need ${this.expected.pages}`);
  }
}

/** Whether an address is of a page of this query. */
function isOf(address: string, operation: string, key: string): boolean {
  const [path, params] = address.split('?');
  return path === `/${operation}` && new URLSearchParams(params).get('key') === key;
}

function add<Key>(counts: Map<Key, number>, key: Key, by = 1): number {
  const count = (counts.get(key) ?? 0) + by;
  counts.set(key, count);
  return count;
}
