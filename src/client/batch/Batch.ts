import { batchIds, rowsOfIds, type BatchParam } from '../../contract/index.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { TrawlerError } from '../../errors/index.ts';
import type { AttemptFailure, RawResponse } from '../attempt/AttemptFailure.ts';
import type { OpenCalls } from '../ClientCore.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import type { Payload } from '../response/parseResponse.ts';
import { batchHeader, type BatchMember, type JoinedQueries, type SharedRequest } from './SharedRequest.ts';

const quietMs = 10; // a row that leads to a query may be read from a file
const maxWaitMs = 10_000; // beyond that, a request for a few ids costs less than waiting
const maxRefusals = 16; // enough to find one bad id among a thousand

/** The request of a batch, once it waits for admission. */
interface Cancellable {
  readonly inFlight: boolean;
  unsubscribe(): void;
}

/** What a batch needs of those who made it. */
export interface BatchOwner {
  send(batch: Batch): void;
  /** Nobody wants it any more. */
  forget(batch: Batch): void;
  /** Rows came that no query asked for. Those that lack rows are sent alone. If no row fits, later ones are, too. */
  doubt(batch: Batch, alone: readonly Batch[], seen: { readonly rows: number; readonly found: number }): void;
}

/** How the requests went that a refused batch was divided into. */
interface Tally {
  refusals: number;
  served: boolean;
}

/** Queries that differ only in their ids, and share a request. It receives the page of that request. */
export class Batch implements SharedRequest, JoinedQueries {
  readonly param: BatchParam;
  /** The ids of the request, where a page before decides them. */
  readonly fixed: readonly string[] | undefined;
  /** Its request, once it waits for admission. */
  call: Cancellable | undefined;
  keeps = false;
  /** A rule says that its response means no rows. */
  #isEmpty = false;
  /** The page of each member, once they came. */
  #parts: readonly (readonly [call: BatchMember, part: ResponsePage])[] = [];
  readonly #batches: BatchOwner;
  readonly #tally: Tally;
  readonly #members = new Set<BatchMember>();
  #ids = new Set<string>();
  readonly #openedAt: number;
  #grewAt: number;

  constructor(batches: BatchOwner, param: BatchParam, fixed: readonly string[] | undefined, now: number, tally?: Tally) {
    this.#batches = batches;
    this.param = param;
    this.fixed = fixed;
    this.#openedAt = now;
    this.#grewAt = now;
    this.#tally = tally ?? { refusals: 0, served: false };
  }

  get members(): readonly BatchMember[] {
    return Array.from(this.#members);
  }

  get size(): number {
    return this.#members.size;
  }

  /** The ids to send, in the order of their queries. */
  get ids(): readonly string[] {
    return this.fixed ?? Array.from(this.#ids);
  }

  get inFlight(): boolean {
    return this.call?.inFlight === true;
  }

  get isFull(): boolean {
    return this.#ids.size >= (this.fixed?.length ?? this.param.size);
  }

  hasRoomFor(ids: readonly string[]): boolean {
    return this.fixed !== undefined || this.#ids.size + ids.filter((id) => !this.#ids.has(id)).length <= this.param.size;
  }

  add(call: BatchMember, now: number): void {
    this.#members.add(call);
    for (const id of batchIds(this.param, call.request.query)) this.#ids.add(id);
    this.#grewAt = now;
  }

  leave(call: BatchMember): void {
    this.#members.delete(call);
    if (this.call === undefined) this.#ids = new Set(this.members.flatMap(({ request }) => batchIds(this.param, request.query)));
    if (this.#members.size > 0) return;
    this.call?.unsubscribe();
    this.#batches.forget(this);
  }

  /** Whether more queries may come soon: another request of the same pipe is under way that may lead to some. */
  waits(now: number, calls: OpenCalls): boolean {
    const [first] = this.#members;
    const { node, depth, request } = first!;
    if (node === undefined || now - this.#openedAt >= maxWaitMs) return false;
    if (now - this.#grewAt < quietMs) return true;
    const { root } = node;
    for (const call of calls) {
      if (call.depth < depth || call.parked !== undefined || call.request?.operation === request.operation) continue;
      if (call.node?.root === root) return true;
    }
    return false;
  }

  /** That one of its ids is unknown may be what makes a response empty by a rule. */
  heard({ verdict }: Payload): void {
    this.#isEmpty = verdict !== undefined;
  }

  /** Each half is requested, until the id that is to blame is alone. */
  divided(failure: AttemptFailure): (() => void) | undefined {
    const halves = isRefusal(failure) ? this.halves() : undefined;
    return halves && (() => halves.forEach((half) => this.#batches.send(half)));
  }

  delivered(raw: RawResponse): void {
    const shared: RawResponse = { ...raw, headers: { ...raw.headers, [batchHeader]: JSON.stringify(this.ids) } };
    for (const [call, part] of this.#parts) call.delivered(part, part.batch === undefined ? raw : shared);
  }

  /** Two batches in place of one that was refused. undefined: it can't be divided, or too many were refused for one id to be to blame. */
  halves(): readonly Batch[] | undefined {
    const { refusals, served } = this.#tally;
    if (this.fixed !== undefined || this.size < 2 || (!served && refusals >= maxRefusals)) return undefined;
    this.#tally.refusals += 1;
    const { members } = this;
    const middle = Math.ceil(members.length / 2);
    return [this.#of(members.slice(0, middle)), this.#of(members.slice(middle))];
  }

  /**
   * The page of the request. Each query gets its own rows. If there are rows of ids that nobody asked for, `match` may not be
   * what tells whose they are: queries that lack rows are then sent alone.
   */
  next(page: ResponsePage): void {
    const halves = this.#isEmpty ? this.halves() : undefined;
    if (halves !== undefined) return halves.forEach((half) => this.#batches.send(half));
    this.#tally.served = true;
    const { members, param, ids } = this;
    const queries = members.map((call) => [call, new Set(batchIds(param, call.request.query))] as const);
    if (this.fixed === undefined && members.length === 1) this.#parts = [[members[0]!, page]];
    else {
      const found = rowsOfIds(param, page.items, new Set(ids));
      const isSure = (own: ReadonlySet<string>): boolean =>
        this.fixed !== undefined ||
        found.length === page.items.length ||
        Array.from(own).every((id) => rowsOfIds(param, found, new Set([id])).length > 0);
      const sure = queries.filter(([, own]) => isSure(own));
      this.#parts = sure.map(([call, own], index) => [call, page.part(call.request.query, rowsOfIds(param, found, own), ids, index === 0)]);
      const alone = queries.filter((one) => !sure.includes(one)).map(([call]) => this.#of([call]));
      if (alone.length > 0) this.#batches.doubt(this, alone, { rows: page.items.length, found: found.length });
    }
    for (const [call, part] of this.#parts) call.receive(part);
  }

  error(error: TrawlerError): void {
    for (const call of this.members) call.receive(error);
  }

  complete(): void {}

  #of(members: readonly BatchMember[]): Batch {
    const batch = new Batch(this.#batches, this.param, undefined, this.#openedAt, this.#tally);
    for (const call of members) {
      batch.add(call, this.#grewAt);
      call.share(batch);
    }
    return batch;
  }
}

/** The service refuses what the request says, so a part of it may be fine. */
function isRefusal({ kind, error }: AttemptFailure): boolean {
  return !failureKinds[kind].passes && kind !== 'auth' && (error === 'HttpError' || error === 'EnvelopeError');
}
