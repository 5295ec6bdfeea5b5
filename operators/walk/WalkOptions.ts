import type { PagingOptions } from './paging/PagingKind.ts';

/** How far a walk goes, and where it begins. */
export interface WalkOptions extends PagingOptions {
  /** Page limit per query. @default Infinity */
  readonly maxPages?: number | undefined;
  /**
   * Stop requesting pages once a query has returned this many rows. Pages stay whole, so the last one may add more.
   * @default Infinity
   */
  readonly maxItems?: number | undefined;
  /**
   * Take rows from another list of the response: a dotted path in `data`. The walk counts these rows, and goes on and ends by the
   * operation's own list. @default the operation's list
   */
  readonly rows?: string | undefined;
  /** The total number of rows, if the caller knows it. A total in a page takes precedence. @default unknown */
  readonly claimed?: number | undefined;
  /**
   * What to do when a walk ends with fewer rows than the service claims: emit a `short` event, or also fail. Claims
   * may be slightly wrong, so it doesn't fail if at most 5 % or 3 rows are missing after a last page that isn't full.
   * @default 'tell'
   */
  readonly onShort?: 'tell' | 'error' | undefined;
}

/** What a step of a walk goes by. */
export interface StepOptions extends WalkOptions {
  /** An earlier run found rows. */
  readonly hadRows?: boolean | undefined;
}
