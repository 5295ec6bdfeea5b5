import { checkFactory } from './check/checkFactory.ts';
import { checkOptions } from './check/checkOptions.ts';
import type { OperatorFunction } from 'rxjs';
import { checkCount } from './check/checkCount.ts';
import type { CursorPaging, PageFactory, PageLike } from './PageFactory.ts';
import type { PageWithRows } from './RowAt.ts';
import { mergeBounded } from './mergeBounded.ts';
import { checkWalkOptions } from './walk/checkWalkOptions.ts';
import { walkPages } from './walk/walkPages.ts';

const known = ['maxPages', 'maxItems', 'concurrency', 'startCursor', 'direction', 'cursorAt', 'rows', 'onShort', 'signal'];

export interface ExpandCursorOptions {
  /** Page limit per query. @default Infinity */
  readonly maxPages?: number | undefined;
  /**
   * Stop requesting pages once a query has returned this many rows. Pages stay whole, so the last one may add more.
   * @default Infinity
   */
  readonly maxItems?: number | undefined;
  /** Concurrent walks. @default 8 */
  readonly concurrency?: number | undefined;
  /** The token to start from. @default the query's own, else none */
  readonly startCursor?: string | undefined;
  /** Which way to go; `'previous'` only where the operation can page backwards. @default 'next' */
  readonly direction?: 'next' | 'previous' | undefined;
  /** Where the token is: a dotted path in `data`, or a function of the page. @default where the operation says */
  readonly cursorAt?: string | ((page: PageLike) => unknown) | undefined;
  /** Take rows from another list of the response: a dotted path in `data`. The walk counts these rows. @default the operation's list */
  readonly rows?: string | undefined;
  /**
   * What to do when a walk ends with fewer rows than the service claims: emit a `short` event, or also fail. Claims
   * may be slightly wrong, so it doesn't fail if at most 5 % or 3 rows are missing after a last page that isn't full.
   * @default 'tell'
   */
  readonly onShort?: 'tell' | 'error' | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns queries into pages, for operations whose response contains the token of the next page.
 *
 * A walk ends with a page that has no token. It fails with a `PaginationError`, after the pages so far, if a token is
 * repeated or isn't a string, a page repeats the rows of the page before, or a third page in a row is empty. The error
 * has the last good cursor. If a limit ends a walk early, the factory is told (`notify`), with the cursor to resume
 * from.
 *
 * If the service claims more rows than came, the page that ends the walk, is empty or repeats the page before is
 * requested once more, once per walk. A walk that still ends with fewer rows is reported as `short`.
 *
 * - Order: a query's pages are in order. Pages of several queries interleave.
 * - Concurrency: `concurrency` walks at once, one request each. When a hundred queries wait, everything upstream
 *   pauses.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request per page. A page is requested only after the page before it is delivered and while there is a
 *   subscriber: `take(2)` costs two.
 *
 * @example
 * of({ data_id }).pipe(expandCursor(client.mapsReviews, { maxPages: 5 }))
 */
export function expandCursor<Query extends object, Page extends PageLike, const Rows extends string>(
  factory: PageFactory<Query, Page, CursorPaging>,
  options: ExpandCursorOptions & { readonly rows: Rows },
): OperatorFunction<Query, PageWithRows<Page, Rows>>;
export function expandCursor<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, CursorPaging>,
  options?: ExpandCursorOptions & { readonly rows?: undefined },
): OperatorFunction<Query, Page>;
export function expandCursor<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, CursorPaging>,
  options: ExpandCursorOptions = {},
): OperatorFunction<Query, Page> {
  checkFactory('expandCursor', factory, 'cursor');
  checkOptions('expandCursor', options, known);
  checkWalkOptions('expandCursor', factory, options);
  const concurrency = checkCount('expandCursor', 'concurrency', options.concurrency ?? 8);
  const { signal } = options;
  return mergeBounded((query: Query) => walkPages(factory, query, options), { concurrency, signal, name: `expandCursor ${factory.name}` });
}
