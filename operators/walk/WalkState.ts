/** Where a walk stands: all that is needed to continue. `moveWalk` turns one state into the next and hands `seen` on with it. */
export interface WalkState<Query extends object = object> {
  /** What to request now. */
  readonly query: Query;
  /** Pages so far. */
  readonly pages: number;
  /** Rows so far. */
  readonly items: number;
  /** Empty pages in a row. */
  readonly empty: number;
  /** Tokens requested so far. */
  readonly seen: Set<string>;
  /** The fingerprint of the last page that had rows, to notice a page that repeats. */
  readonly mark?: number | undefined;
  /** It began in the middle, so it can't be held against a claim of how many rows there are. */
  readonly partial?: true | undefined;
  /** How many rows there are, as the service claims. */
  readonly claimed?: number | undefined;
  /** The page is requested a second time. These are the fingerprints of the rows that it had, which aren't passed on again. */
  readonly again?: readonly number[] | undefined;
  /** A page was requested a second time, which happens once a walk. */
  readonly looked?: true | undefined;
}

/**
 * What a page does to the state of its walk: small enough for a journal, and all that `moveWalk` needs to make the next
 * state once more.
 */
export interface WalkMove {
  /** The cursor of the next page. None: the same page is requested a second time. */
  readonly cursor?: string | number | undefined;
  /** Rows that the page added. */
  readonly items: number;
  /** The page had no row, not even one that was skipped. */
  readonly empty?: true | undefined;
  readonly mark?: number | undefined;
  readonly claimed?: number | undefined;
  readonly again?: readonly number[] | undefined;
}
