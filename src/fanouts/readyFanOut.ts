import { defer, map, mergeMap, tap, type Observable, type OperatorFunction } from 'rxjs';
import { type ChildPage, fanOut, fanOutOptions, type FanOut, type FanOutOptions, type Failure } from '../../operators/fanOut.ts';
import { inWords, nearestName } from '../../operators/check/nearestName.ts';
import type { PageFactory } from '../../operators/PageFactory.ts';
import type { PageLike, PageRequest } from '../../operators/PageLike.ts';
import { checkWalkOptions, walkOptions, type WalkOptions } from '../../operators/walk/WalkOptions.ts';
import { specOf } from '../../operators/walk/WalkedOperation.ts';
import { startWalk } from '../../operators/walk/Walk.ts';
import { defineOperator } from '../../operators/kit/defineOperator.ts';
import { walkPages } from '../../operators/walk/walkPages.ts';
import {
  entriesOf,
  idOf,
  queriesOf,
  type FanOutSpec,
  pathsOf,
  type FanOutQuery,
  type FanOutSource,
  type Operation,
} from '../contract/index.ts';
import { requestExpiring } from './requestExpiring.ts';
import { originOf } from '../../operators/rowOrigin.ts';
import { anything, callback, declareOptions } from '../../operators/options/index.ts';

export interface ChildPagesOptions<Query, Parent, Child> extends Pick<
  FanOutOptions<Parent, Child>,
  'concurrency' | 'memory' | 'onError' | 'failures' | 'signal'
> {
  /** More parameters for each query, or a function of the row that gives them. @default none */
  readonly with?: Partial<Query> | ((parent: Parent) => Partial<Query>) | undefined;
}

export interface ChildWalkOptions<Query, Parent, Child>
  extends ChildPagesOptions<Query, Parent, Child>, Pick<WalkOptions, 'maxPages' | 'maxItems'> {}

/** The operation that a fan-out calls: a client's function, or any other. */
export type FanOutFactory<Query extends object, Page extends PageLike> = (query: Query, request?: PageRequest) => Observable<Page>;

export interface ReadyFanOutOptions<Query, Row, Page extends PageLike> extends ChildWalkOptions<Query, Row, ChildPage<Page, Row>> {
  /** For rows that expire: repeats the query that gave the row. @default an expired row fails */
  readonly source?: ((query: object, request?: { readonly store?: 'renew' }) => Observable<PageLike>) | undefined;
  /** Whether an error means that the row's value has expired. @default an HTTP 4xx, or an envelope that isn't success */
  readonly expired?: ((error: unknown) => boolean) | undefined;
}

const { concurrency, memory, onError, failures, signal } = fanOutOptions.kinds;
const { maxPages, maxItems } = walkOptions.kinds;
const shared = { with: anything<never>(), concurrency, memory, onError, failures, signal };
const expiry = { source: callback<never>(), expired: callback<never>() };
const pageOptions = declareOptions<ChildPagesOptions<object, object, unknown>>()(shared);
const walkingOptions = declareOptions<ChildWalkOptions<object, object, unknown>>()({ ...shared, maxPages, maxItems });
const expiringOptions = declareOptions<Omit<ReadyFanOutOptions<object, object, PageLike>, 'maxPages' | 'maxItems'>>()({
  ...shared,
  ...expiry,
});

/** A query to send, the row that it is for, and the id by which it is sent only once. */
interface Wanted<Row, Query> {
  readonly parent: Row;
  readonly source: object;
  readonly id: string;
  readonly query: Query;
}

/**
 * A ready fan-out of a service as an operator: from rows (or pages, if it runs over a list in each) to the pages of their
 * queries. Each id is requested once, and each page knows its row as `parent`. Rows without a query are skipped. If no row
 * has one, the client reports it (`unused`).
 *
 * - Order: a row's pages are in order. Those of several rows interleave.
 * - Concurrency: `concurrency` rows at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request per page. `maxPages` limits the pages of a row.
 *
 * @example
 * books$.pipe(readyFanOut(books.fanOuts.editions, client.editions, { maxPages: 3 }), items())
 */
export function readyFanOut<Source extends object, Row extends object, Query extends object, Page extends PageLike>(
  spec: FanOutSpec,
  factory: FanOutFactory<Query, Page>,
  options: ReadyFanOutOptions<Query, Row, Page> = {},
  /** What errors call it. */
  name = 'readyFanOut',
): FanOut<Source, ChildPage<Page, Row>, Row> {
  if (typeof factory !== 'function') throw new RangeError(`${name}: it needs a client that has ${spec.call}, not ${inWords(factory)}`);
  (spec.walks === true ? walkingOptions : spec.expires === true ? expiringOptions : pageOptions).check(name, options);
  const { onError, failures, maxPages, maxItems, expired } = options;
  const walked = spec.walks === true ? (factory as unknown as PageFactory<Query, Page>) : undefined;
  if (walked !== undefined) checkWalkOptions(name, specOf(walked), { maxPages, maxItems });
  const paged = 'paging' in factory ? specOf(factory as unknown as PageFactory<Query, Page>) : undefined;
  const { operation } = factory as { readonly operation?: Operation };
  /** A parameter that takes a list gets one with the value. */
  const asLists = (query: FanOutQuery): object =>
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, operation?.params[name]?.type === 'strings' ? [String(value)] : value]),
    );
  const brief = spec.expires === true;
  const again = options.source;

  const wantedOf = (source: Source): Wanted<Row, Query>[] => {
    const page = pageIn(source);
    const entries = (page && entriesOf(spec, page)) ?? [source];
    return entries.flatMap((entry) => {
      // If `data` is the only row, the parent is the page.
      const parent = (spec.rows === null ? source : entry) as unknown as Row;
      const extra = typeof options.with === 'function' ? options.with(parent) : options.with;
      return queriesOf(spec, entry, page, extra).map((query) => ({
        parent,
        source,
        id: idOf(spec, query),
        query: { ...asLists(query), ...extra } as Query,
      }));
    });
  };
  const pagesOf = ({ query, source }: Wanted<Row, Query>): Observable<Page> => {
    if (walked !== undefined) return walkPages(walked, { maxPages, maxItems })(query);
    if (!brief) return factory(paged === undefined ? query : startWalk(paged, query).query);
    const from =
      again === undefined || !('query' in source)
        ? undefined
        : { query: source.query as object, request: (query: object) => again(query, { store: 'renew' }) };
    return requestExpiring({ spec, query, request: (query) => factory(query as Query), source: from, expired });
  };
  const ofParent = (failure: Failure<Wanted<Row, Query>>): Failure<Row> => ({
    ...failure,
    row: failure.row.parent,
    query: failure.query ?? failure.row.query,
  });

  const pages = fanOut<Wanted<Row, Query>, ChildPage<Page, Row>>((wanted) => pagesOf(wanted).pipe(withParent(wanted.parent)), {
    by: 'id',
    memory: options.memory,
    concurrency: brief ? Infinity : options.concurrency,
    eager: brief,
    signal: options.signal,
    name,
    onError: typeof onError === 'function' ? (failure) => onError(ofParent(failure)) : onError,
    failures: failures && { next: (failure) => failures.next(ofParent(failure)) },
  });
  const { notify } = factory as Partial<PageFactory<Query, Page>>;
  const operator: OperatorFunction<Source, ChildPage<Page, Row>> = (source) =>
    defer(() => {
      let rows = 0;
      let used = false;
      const complete = (): void => {
        if (rows > 0 && !used) notify?.({ type: 'unused', operation: spec.call, query: {}, rows });
      };
      const look = (row: Source): readonly Wanted<Row, Query>[] => {
        const wanted = wantedOf(row);
        if (rows === 0 && wanted.length === 0) refuseMisfit(name, spec, row, pageIn(row));
        rows += 1;
        used ||= wanted.length > 0;
        return wanted;
      };
      return source.pipe(tap({ complete }), mergeMap(look), pages);
    });
  return Object.assign(operator, { failures$: pages.failures$.pipe(map(ofParent)) });
}

function pageIn(source: object): PageLike | undefined {
  return 'data' in source && 'query' in source ? (source as unknown as PageLike) : undefined;
}

/** Gives each page the row that it was requested for. */
function withParent<Page extends PageLike, Parent>(parent: Parent): OperatorFunction<Page, ChildPage<Page, Parent>> {
  return defineOperator((source, out) => {
    const next = (page: Page): void =>
      out.next(Object.defineProperty(page, 'parent', { value: parent, configurable: true }) as ChildPage<Page, Parent>);
    out.listen(source, { next }, out.node, out.lazy);
  });
}

/**
 * Throws if the first row shows that a fan-out follows pages and needs rows, or follows rows of another kind. Otherwise it would skip
 * everything, after requests that were paid for.
 */
function refuseMisfit(name: string, spec: FanOutSpec, row: object, page: PageLike | undefined): void {
  const sources = Object.values(spec.with).flat() as readonly FanOutSource[];
  const wanted = [...new Set(sources.flatMap((source) => pathsOf(source).row?.split(/[.[]/, 1) ?? []))];
  const fields = wanted.join(' or ');
  if (page !== undefined && spec.rows === undefined) {
    throw new TypeError(`${name}: it got a page of ${page.operation} and needs rows with ${fields}; put items() before it`);
  }
  if (page === undefined && spec.rows !== undefined && spec.rows !== null) {
    throw new TypeError(`${name}: it got a row and needs pages, whose ${spec.rows} it reads; leave out the items() before it`);
  }
  if (page !== undefined || wanted.some((field) => field in row)) return;
  const origin = originOf(row);
  const documented = origin?.columns.map(({ keys }) => keys[0] ?? '') ?? [];
  if (wanted.some((field) => documented.includes(field))) return; // this row just doesn't have it
  const has = Object.keys(row);
  const near = wanted.map((field) => nearestName(field, has)).find((field) => field !== undefined);
  if (near === undefined && documented.length === 0) return;
  const what = origin === undefined ? 'a row' : `a row of ${origin.operation}`;
  const hint = near === undefined ? `it has ${has.slice(0, 8).join(', ')}` : `did you mean '${near}'?`;
  throw new TypeError(`${name}: it got ${what} and needs one with ${fields}; ${hint}`);
}
