import type { PageLike } from '../PageFactory.ts';

/** How far a walk goes, and where it begins. */
export interface WalkOptions {
  /** Pages of one query, at most. @default Infinity */
  readonly maxPages?: number | undefined;
  /**
   * No further page is asked for once one query has given this many rows. Pages stay whole, so the last one may bring
   * more. @default Infinity
   */
  readonly maxItems?: number | undefined;
  /** The token to begin with; cursors only. @default the query's own, else none */
  readonly startCursor?: string | undefined;
  /** Pages to leave out at the start; counted pages only. @default 0 */
  readonly startPage?: number | undefined;
  /** Which way to go; `'previous'` only where the operation knows a way back. @default 'next' */
  readonly direction?: 'next' | 'previous' | undefined;
  /** Where the token is: a dotted path in `data`, or a function of the page. @default where the operation says */
  readonly cursorAt?: string | ((page: PageLike) => unknown) | undefined;
  /** Another list of the response as rows, as a dotted path in `data`; the walk goes by these. @default the operation's list */
  readonly rows?: string | undefined;
  /** How many rows there are, where whoever begins the walk knows. A page that says so itself comes first. @default unknown */
  readonly claimed?: number | undefined;
}
