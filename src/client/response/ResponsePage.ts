import type { PageLike } from '../../../operators/PageLike.ts';
import type { PageHeaders, RowsAt } from '../../contract/index.ts';
import type { RowOrigin } from '../../../operators/rowOrigin.ts';
import type { Page } from '../Client.ts';
import { rowsMark } from '../spans/RowSpan.ts';
import type { Payload } from './parseResponse.ts';
import { withinOrigin } from '../attempt/nextPath.ts';

/** A page made by a client. Its extra properties are not enumerable, so a file gets only the fields. */
export class ResponsePage implements Page {
  readonly operation: string;
  readonly query: object;
  readonly data: unknown;
  readonly items: readonly unknown[];
  readonly requestId: string;
  readonly timestamp: number;
  declare readonly beside?: { readonly [field: string]: unknown };
  declare readonly told?: 'empty';
  readonly #list: 'present' | 'absent';
  readonly #next: PageLike['next'];
  readonly #headers: PageLike['headers'];
  readonly #received: number;
  readonly #entries: number | undefined;
  #mark: number | undefined;
  readonly #origin: RowOrigin;
  /** The page of all queries that share its response. */
  #whole: ResponsePage | undefined;
  #batch: readonly string[] | undefined;
  #others: number | undefined;

  constructor(
    origin: RowOrigin,
    query: object,
    response: Pick<Payload, 'data' | 'requestId' | 'timestamp' | 'next' | 'headers' | 'beside' | 'spans' | 'verdict'>,
    rows: Pick<RowsAt, 'items' | 'list' | 'entries'>,
    received: number = rows.items.length,
  ) {
    this.operation = origin.operation;
    this.query = query;
    this.data = response.data;
    this.items = rows.items;
    this.requestId = response.requestId;
    this.timestamp = response.timestamp;
    if (response.beside !== undefined) this.beside = response.beside;
    if (response.verdict !== undefined) this.told = 'empty';
    this.#list = rows.list;
    this.#next = response.next;
    this.#headers = response.headers;
    this.#received = received;
    this.#entries = rows.entries;
    this.#mark = response.spans?.mark;
    this.#origin = origin;
  }

  get list(): 'present' | 'absent' {
    return this.#list;
  }

  get next(): PageLike['next'] {
    return this.#next;
  }

  get headers(): PageLike['headers'] {
    return this.#headers;
  }

  get received(): number {
    return this.#received;
  }

  get entries(): number | undefined {
    return this.#entries;
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
    const part = new ResponsePage(this.#origin, query, response, { items, list: this.#list, entries: this.#entries! }, this.#received);
    part.#whole = this;
    part.#batch = batch;
    part.#others = (first ? this.items.length : this.#received) - items.length;
    return part;
  }
}

interface GivenHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/**
 * Adds what headers say about a page to the payload: the token or the address of the next one, and numbers of rows or pages. `url`: the
 * address of the response. An address of the same origin is reduced to its path. `clean` takes the key out of it.
 */
export function withHeaders(
  { next: name, counts }: PageHeaders,
  payload: Payload,
  given: GivenHeaders,
  url: string,
  clean: (text: string) => string = (text) => text,
): Payload {
  const next = name === undefined ? undefined : nextIn(given, name, url);
  const said = counts.flatMap(([at, header]) => (given[header] === undefined ? [] : [[at, clean(joined(given[header]))] as const]));
  return {
    ...payload,
    ...(next === undefined ? {} : { next: clean(next) }),
    ...(said.length === 0 ? {} : { headers: Object.fromEntries(said) }),
  };
}

function nextIn(given: GivenHeaders, name: string, url: string): string | undefined {
  const header = given[name];
  if (header === undefined || name !== 'link') return header === undefined ? undefined : joined(header);
  const link = nextLink(header);
  return link === undefined ? undefined : (withinOrigin(link, url) ?? link);
}

function joined(header: string | readonly string[]): string {
  return [header].flat().join(', ');
}

/** The address of `rel="next"` in a `Link` header, or undefined. */
function nextLink(header: string | readonly string[]): string | undefined {
  const text = joined(header);
  for (const [, address, params] of text.matchAll(/<([^>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"[^"]*"|[^\s",;]+))?)*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(params!);
    if ((rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/).includes('next')) return address;
  }
  return undefined;
}
