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
  /** Pages of one query, at most. @default Infinity */
  readonly maxPages?: number | undefined;
  /**
   * No further page is asked for once one query has given this many rows; pages stay whole, so the last one may bring
   * more. @default Infinity
   */
  readonly maxItems?: number | undefined;
  /** Walks at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** The token to begin with. @default the query's own, else none */
  readonly startCursor?: string | undefined;
  /** Which way to go; `'previous'` only where the operation knows a way back. @default 'next' */
  readonly direction?: 'next' | 'previous' | undefined;
  /** Where the token is: a dotted path in `data`, or a function of the page. @default where the operation says */
  readonly cursorAt?: string | ((page: PageLike) => unknown) | undefined;
  /** Another list of the answer as rows, as a dotted path in `data`; the walk goes by these. @default the operation's list */
  readonly rows?: string | undefined;
  /** What to do when a walk ends with fewer rows than the service claims: only tell, or fail. @default 'tell' */
  readonly onShort?: 'tell' | 'error' | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Queries to pages, for operations whose answer holds the token of the next page.
 *
 * A walk ends with a page that has no token. A token that was asked for already or isn't a text, a page that brings the
 * rows of the page before again, and a third empty page in a row are a `PaginationError` with the last good cursor,
 * after the pages so far. A walk that a limit cuts short is told to the factory (`notify`), with the cursor to go on with.
 *
 * - Order: a query's pages are in order; the pages of several queries interleave.
 * - Concurrency: `concurrency` walks at once, one request each. A hundred waiting queries hold what is above.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page. A page is asked for once its predecessor was delivered and somebody still listens:
 *   `take(2)` costs two.
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
