import { batchIds, rowsOfIds, type BatchParam } from '../../contract/index.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { TrawlerError } from '../../errors/index.ts';
import type { AttemptFailure, RawResponse } from '../attempt/AttemptFailure.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import type { Payload } from '../response/parseResponse.ts';
import { batchHeader, type BatchMember, type JoinedQueries, type SharedRequest } from './SharedRequest.ts';

/** The request of a batch, once it waits for admission. */
interface Cancellable {
  readonly inFlight: boolean;
  unsubscribe(): void;
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
  /** Nobody wants it any more. */
  readonly #forget: (batch: Batch) => void;
  /** Rows came that no query asked for. */
  readonly #strange: (batch: Batch, rows: number) => void;
  readonly #members = new Set<BatchMember>();
  #ids = new Set<string>();

  constructor(
    param: BatchParam,
    fixed: readonly string[] | undefined,
    { forget, strange }: { readonly forget: (batch: Batch) => void; readonly strange: (batch: Batch, rows: number) => void },
  ) {
    this.param = param;
    this.fixed = fixed;
    this.#forget = forget;
    this.#strange = strange;
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

  add(call: BatchMember): void {
    this.#members.add(call);
    for (const id of batchIds(this.param, call.request.query)) this.#ids.add(id);
  }

  leave(call: BatchMember): void {
    this.#members.delete(call);
    if (this.call === undefined) this.#ids = new Set(this.members.flatMap(({ request }) => batchIds(this.param, request.query)));
    if (this.#members.size > 0) return;
    this.call?.unsubscribe();
    this.#forget(this);
  }

  /** If a rule says that the response is empty, the reason may be a single unknown id. So each query is sent by itself then. */
  came({ verdict }: Payload): void {
    this.#isEmpty = verdict !== undefined;
  }

  /** Each query is sent by itself, because one of them may be to blame. */
  divided(failure: AttemptFailure): (() => void) | undefined {
    return isRefusal(failure) && this.#isDivisible ? () => this.#sendAlone() : undefined;
  }

  delivered(raw: RawResponse): void {
    const shared: RawResponse = { ...raw, headers: { ...raw.headers, [batchHeader]: JSON.stringify(this.ids) } };
    for (const [call, part] of this.#parts) call.delivered(part, part.batch === undefined ? raw : shared);
  }

  /** The page of the request. Each query gets its own rows. If rows of other ids came, `match` may not tell whose rows they are. */
  next(page: ResponsePage): void {
    const { members, param, ids } = this;
    const found = rowsOfIds(param, page.items, new Set(ids));
    const isStrange = found.length < page.items.length;
    if (this.#isDivisible && (this.#isEmpty || isStrange)) {
      if (isStrange) this.#strange(this, page.items.length - found.length);
      return this.#sendAlone();
    }
    this.#parts = members.map((call, index) => {
      if (this.fixed === undefined && members.length === 1) return [call, page];
      const { query } = call.request;
      return [call, page.part(query, rowsOfIds(param, found, new Set(batchIds(param, query))), ids, index === 0)];
    });
    for (const [call, part] of this.#parts) call.receive(part);
  }

  error(error: TrawlerError): void {
    for (const call of this.members) call.receive(error);
  }

  complete(): void {}

  get #isDivisible(): boolean {
    return this.fixed === undefined && this.size > 1;
  }

  #sendAlone(): void {
    for (const call of this.members) call.goAlone();
  }
}

/** The service refuses what the request says, so a part of it may be fine. */
function isRefusal({ kind, error }: AttemptFailure): boolean {
  return !failureKinds[kind].passes && kind !== 'auth' && (error === 'HttpError' || error === 'EnvelopeError');
}
