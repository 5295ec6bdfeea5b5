import type { PageLike } from '../../../operators/PageLike.ts';
import type { RowOrigin } from '../../../operators/rowOrigin.ts';
import type { Page } from '../Page.ts';
import { rowsMark } from '../spans/rowsMark.ts';
import type { Payload } from './parseResponse.ts';

/** A page made by a client. Its extra properties are not enumerable, so a file gets only the fields. */
export class ResponsePage implements Page {
  readonly operation: string;
  readonly query: object;
  readonly data: unknown;
  readonly items: readonly unknown[];
  readonly requestId: string;
  readonly timestamp: number;
  declare readonly beside?: { readonly [field: string]: unknown };
  readonly #list: 'present' | 'absent';
  readonly #next: PageLike['next'];
  readonly #received: number;
  #mark: number | undefined;
  readonly #origin: RowOrigin;
  /** The page of all queries that share its response. */
  #whole: ResponsePage | undefined;
  #batch: readonly string[] | undefined;
  #others: number | undefined;

  constructor(
    origin: RowOrigin,
    query: object,
    response: Pick<Payload, 'data' | 'requestId' | 'timestamp' | 'next' | 'beside' | 'spans'>,
    rows: { readonly items: readonly unknown[]; readonly list: 'present' | 'absent' },
    received: number = rows.items.length,
  ) {
    this.operation = origin.operation;
    this.query = query;
    this.data = response.data;
    this.items = rows.items;
    this.requestId = response.requestId;
    this.timestamp = response.timestamp;
    if (response.beside !== undefined) this.beside = response.beside;
    this.#list = rows.list;
    this.#next = response.next;
    this.#received = received;
    this.#mark = response.spans?.mark;
    this.#origin = origin;
  }

  get list(): 'present' | 'absent' {
    return this.#list;
  }

  get next(): PageLike['next'] {
    return this.#next;
  }

  get received(): number {
    return this.#received;
  }

  get mark(): number {
    return (this.#mark ??= this.#whole?.mark ?? rowsMark(JSON.stringify(this.items), this.items.length));
  }

  get origin(): RowOrigin {
    return this.#origin;
  }

  get batch(): readonly string[] | undefined {
    return this.#batch;
  }

  get others(): number | undefined {
    return this.#others;
  }

  /**
   * The page for one of the queries that share the response, with its own rows. `batch`: the ids of all of them. `first`: rows
   * that no query gets, because they were skipped, are counted with this one.
   */
  part(query: object, items: readonly unknown[], batch: readonly string[], first: boolean): ResponsePage {
    const { data, requestId, timestamp, beside } = this;
    const response = { data: data as object, requestId, timestamp, next: this.#next, beside };
    const part = new ResponsePage(this.#origin, query, response, { items, list: this.#list }, this.#received);
    part.#whole = this;
    part.#batch = batch;
    part.#others = (first ? this.items.length : this.#received) - items.length;
    return part;
  }
}
