import { checkFactory, type PageFactory, type QueriesFor } from './PageFactory.ts';
import type { OperatorFunction } from 'rxjs';
import type { PageLike } from './PageLike.ts';
import type { PageWithRows } from './RowAt.ts';
import { mergeBounded, mergeBoundedOptions, type MergeBoundedOptions } from './mergeBounded.ts';
import { declareOptions } from './options/OptionSet.ts';
import { checkWalkOptions, walkOptions, type WalkOptions } from './walk/WalkOptions.ts';
import type { TokenPaging, WalkedBy } from './walk/paging/pagingKinds.ts';
import { specOf } from './walk/WalkedOperation.ts';
import { walkPages } from './walk/walkPages.ts';

export interface ExpandCursorOptions
  extends Omit<WalkOptions, 'startPage' | 'claimed'>, Pick<MergeBoundedOptions, 'concurrency' | 'signal'> {}

const { maxPages, maxItems, startCursor, cursorAt, rows, onShort } = walkOptions.kinds;
const { concurrency, signal } = mergeBoundedOptions.kinds;
const expandCursorOptions = declareOptions<ExpandCursorOptions>()({
  maxPages,
  maxItems,
  startCursor,
  cursorAt,
  rows,
  onShort,
  concurrency,
  signal,
});

/**
 * Turns queries into pages, for operations whose response leads to the next page: by a token, by its last row, or by parameters.
 *
 * A walk ends with a page that leads no further, or when as many rows have come as the pages say there are. It fails with a
 * `PaginationError`, after the pages so far, if a token was used before or its parameter doesn't take it, a page repeats the rows of the
 * page before, or a third page in a row is empty. The error has the last good cursor. If a limit ends a walk early, the factory is told
 * (`notify`), with the cursor to resume from.
 *
 * A full page without a token, an empty page with one, and the last page of a walk with fewer rows than the service
 * says there are, are requested once more. A walk that still ends with fewer rows is reported as `short`.
 *
 * - Order: a query's pages are in order. Pages of several queries interleave.
 * - Concurrency: `concurrency` walks at once, one request each. When a hundred queries wait, everything upstream
 *   pauses.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request per page, and one to confirm an end on a full page. A page is requested only after the page before it is delivered
 *   and while there is a subscriber: `take(2)` costs two.
 *
 * @example
 * of({ data_id }).pipe(expandCursor(client.mapsReviews, { maxPages: 5 }))
 */
export function expandCursor<Query extends object, Page extends PageLike, const Rows extends string, Given extends Query = Query>(
  factory: PageFactory<Query, Page, WalkedBy<TokenPaging>>,
  options: ExpandCursorOptions & { readonly rows: Rows },
): OperatorFunction<QueriesFor<Query, Given>, PageWithRows<Page, Rows>>;
export function expandCursor<Query extends object, Page extends PageLike, Given extends Query = Query>(
  factory: PageFactory<Query, Page, WalkedBy<TokenPaging>>,
  options?: ExpandCursorOptions & { readonly rows?: undefined },
): OperatorFunction<QueriesFor<Query, Given>, Page>;
export function expandCursor(
  factory: PageFactory<object, PageLike, WalkedBy<TokenPaging>>,
  options: ExpandCursorOptions = {},
): OperatorFunction<object, unknown> {
  checkFactory<TokenPaging>('expandCursor', factory);
  const { concurrency, signal, ...walk } = expandCursorOptions.read(`expandCursor(${factory.name})`, options);
  checkWalkOptions('expandCursor', specOf(factory), walk);
  return mergeBounded(walkPages(factory, walk), {
    concurrency,
    signal,
    eager: factory.heedsDemand,
    name: `expandCursor ${factory.name}`,
  });
}
