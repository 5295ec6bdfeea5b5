import { checkFactory, type PageFactory, type QueriesFor } from './PageFactory.ts';
import type { OperatorFunction } from 'rxjs';
import type { PageLike } from './PageLike.ts';
import type { PageWithRows } from './RowAt.ts';
import { mergeBounded, mergeBoundedOptions, type MergeBoundedOptions } from './mergeBounded.ts';
import { checkWalkOptions, walkOptions, type WalkOptions } from './walk/WalkOptions.ts';
import { type CountedPaging, kindOf, type WalkedBy } from './walk/paging/pagingKinds.ts';
import { specOf } from './walk/WalkedOperation.ts';
import { walkPages } from './walk/walkPages.ts';
import { whole, declareOptions, optionError } from './options/index.ts';

export interface OffsetPagesOptions
  extends Omit<WalkOptions, 'startCursor' | 'cursorAt' | 'claimed'>, Pick<MergeBoundedOptions, 'concurrency' | 'signal'> {
  /** Pages of one query requested in parallel. Always 1 where the next offset depends on the rows received. @default 1 */
  readonly lookahead?: number | undefined;
}

const { maxPages, maxItems, startPage, rows, onShort } = walkOptions.kinds;
const { concurrency, signal } = mergeBoundedOptions.kinds;
const offsetPagesOptions = declareOptions<OffsetPagesOptions>()({
  maxPages,
  maxItems,
  startPage,
  rows,
  onShort,
  lookahead: whole({ from: 1 }).or(1),
  concurrency,
  signal,
});

/**
 * Turns queries into pages, for operations that page by number: a page number, an offset in fixed steps, or the rows
 * received so far.
 *
 * A walk ends with an empty page, with the last page number listed in the response, or when as many rows came as the
 * pages say there are. A short page doesn't end it. It fails with a `PaginationError`, after the pages so far, if a page repeats
 * the rows of the page before. A response without its list also fails it, because that may or may not be the end, unless
 * `maxPages` limits the walk. If a limit ends a walk early, the factory is told (`notify`), with the offset to resume from. A
 * walk that ends after a full page, or with fewer rows than the service says there are, requests its last page once more. If rows
 * are still missing, it is reported as `short`.
 *
 * - Order: a query's pages are in order, with `lookahead` too; the pages of several queries interleave.
 * - Concurrency: `concurrency` walks at once, `lookahead` requests each. Where queries share requests (`batch`), each walk
 *   begins with one. When a hundred queries wait, everything upstream pauses.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request per page, plus one for the empty page where the end can't be known otherwise, and one to
 *   confirm an end after a full page. `take(2)` costs two. With `lookahead`, `take` and an end that can't be known in advance cost up to
 *   `lookahead - 1` more.
 *
 * @example
 * of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { lookahead: 3 }))
 */
export function offsetPages<Query extends object, Page extends PageLike, const Rows extends string, Given extends Query = Query>(
  factory: PageFactory<Query, Page, WalkedBy<CountedPaging>>,
  options: OffsetPagesOptions & { readonly rows: Rows },
): OperatorFunction<QueriesFor<Query, Given>, PageWithRows<Page, Rows>>;
export function offsetPages<Query extends object, Page extends PageLike, Given extends Query = Query>(
  factory: PageFactory<Query, Page, WalkedBy<CountedPaging>>,
  options?: OffsetPagesOptions & { readonly rows?: undefined },
): OperatorFunction<QueriesFor<Query, Given>, Page>;
export function offsetPages(
  factory: PageFactory<object, PageLike, WalkedBy<CountedPaging>>,
  options: OffsetPagesOptions = {},
): OperatorFunction<object, unknown> {
  checkFactory<CountedPaging>('offsetPages', factory);
  const caller = `offsetPages(${factory.name})`;
  const { concurrency, signal, lookahead, ...walk } = offsetPagesOptions.read(caller, options);
  checkWalkOptions('offsetPages', specOf(factory), walk);
  if (lookahead > 1 && kindOf(factory.paging).ahead({}, 1) === undefined)
    throw optionError(caller, 'lookahead', '1: the next offset is known only once the rows are here', lookahead);
  const settings = { ...walk, window: lookahead };
  return mergeBounded(walkPages(factory, settings), {
    concurrency,
    signal,
    eager: factory.heedsDemand,
    name: `offsetPages ${factory.name}`,
  });
}
