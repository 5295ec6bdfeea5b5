import { checkFactory } from './check/checkFactory.ts';
import { checkOptions } from './check/checkOptions.ts';
import type { OperatorFunction } from 'rxjs';
import { checkCount } from './check/checkCount.ts';
import type { OffsetPaging, PageFactory, PageLike } from './PageFactory.ts';
import type { PageWithRows } from './RowAt.ts';
import { mergeBounded } from './mergeBounded.ts';
import { checkWalkOptions } from './walk/checkWalkOptions.ts';
import { walkPages } from './walk/walkPages.ts';

const known = ['maxPages', 'maxItems', 'concurrency', 'startPage', 'lookahead', 'rows', 'onShort', 'signal'];

export interface OffsetPagesOptions {
  /** Pages of one query, at most. @default Infinity */
  readonly maxPages?: number | undefined;
  /**
   * No further page is asked for once one query has given this many rows; pages stay whole, so the last one may bring
   * more. @default Infinity
   */
  readonly maxItems?: number | undefined;
  /** Walks at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** Pages to leave out at the start. @default 0 */
  readonly startPage?: number | undefined;
  /** Pages of one query asked for side by side; 1 where the next offset depends on the rows received. @default 1 */
  readonly lookahead?: number | undefined;
  /** Another list of the answer as rows, as a dotted path in `data`; the walk goes by these. @default the operation's list */
  readonly rows?: string | undefined;
  /** What to do when a walk ends with fewer rows than the service claims: only tell, or fail. @default 'tell' */
  readonly onShort?: 'tell' | 'error' | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Queries to pages, for operations whose query counts: pages, rows in steps, or rows received.
 *
 * A walk ends with an empty page, with one shorter than a page is known to be, or with the last of the page numbers
 * that the answer lists. A page that brings the rows of the page before again is a `PaginationError`, after the pages
 * so far; so is an answer without its list, since that may or may not be the end, unless `maxPages` bounds the walk.
 * A walk that a limit cuts short is told to the factory (`notify`), with the offset to go on with.
 *
 * - Order: a query's pages are in order, with `lookahead` too; the pages of several queries interleave.
 * - Concurrency: `concurrency` walks at once, `lookahead` requests each. A hundred waiting queries hold what is above.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page, and one for the empty page where an end can't be known otherwise. `take(2)` costs two;
 *   with `lookahead` up to `lookahead - 1` more, as does an end that nobody could know of.
 *
 * @example
 * of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { lookahead: 3 }))
 */
export function offsetPages<Query extends object, Page extends PageLike, const Rows extends string>(
  factory: PageFactory<Query, Page, OffsetPaging>,
  options: OffsetPagesOptions & { readonly rows: Rows },
): OperatorFunction<Query, PageWithRows<Page, Rows>>;
export function offsetPages<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, OffsetPaging>,
  options?: OffsetPagesOptions & { readonly rows?: undefined },
): OperatorFunction<Query, Page>;
export function offsetPages<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, OffsetPaging>,
  options: OffsetPagesOptions = {},
): OperatorFunction<Query, Page> {
  checkFactory('offsetPages', factory, 'offset');
  checkOptions('offsetPages', options, known);
  checkWalkOptions('offsetPages', factory, options);
  const concurrency = checkCount('offsetPages', 'concurrency', options.concurrency ?? 8);
  const lookahead = checkCount('offsetPages', 'lookahead', options.lookahead ?? 1);
  if (lookahead > 1 && factory.paging.step === 'received') {
    throw new RangeError(
      `offsetPages(${factory.name}): lookahead must be 1, not ${lookahead}: the next offset is known only once the rows are here`,
    );
  }
  const settings = { ...options, window: lookahead };
  const { signal } = options;
  return mergeBounded((query: Query) => walkPages(factory, query, settings), { concurrency, signal, name: `offsetPages ${factory.name}` });
}
