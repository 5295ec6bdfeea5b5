import type { Recheck } from './RecheckPolicy.ts';
import type { Token } from '../PageLike.ts';

/** The position of a walk: all it needs to continue. `moveWalk` turns one state into the next and passes `seen` on. */
export interface WalkState<Query extends object = object> {
  /** The query to request next. */
  readonly query: Query;
  /** Pages so far. */
  readonly pages: number;
  /** Rows so far. */
  readonly items: number;
  /** Empty pages in a row. */
  readonly empty: number;
  /** Tokens requested so far, as texts. None before the first one. */
  readonly seen?: Set<string> | undefined;
  /**
   * Identifies pages that had rows, to notice one that repeats: the first, because some services start over beyond their last page, the
   * last one, and the one before it, because a page that is rechecked may come as that one.
   */
  readonly marks?: readonly number[] | undefined;
  /** Identifies the rows of the last page, where their number is claimed: pages that overlap bring some of them again. */
  readonly had?: readonly number[] | undefined;
  /** Rows that came back with more in them, so that they were emitted again. The claim counts them once. */
  readonly again?: number | undefined;
  /** The walk began in the middle, so its row count can't be compared with the claimed total. */
  readonly partial?: true | undefined;
  /** The total number of rows that the service claims. */
  readonly claimed?: number | undefined;
  /** Set while the page is rechecked. */
  readonly recheck?: Recheck | undefined;
  /**
   * A page that was empty or repeated another led on, so its rows may be missing. `confirmed`: it was rechecked, and came
   * the same. That isn't done again in this walk.
   */
  readonly gap?: 'trusted' | 'confirmed' | undefined;
  /** Absent before the first page with rows. */
  readonly sizes?: PageSizes | undefined;
  /** Its pages answer other queries, too: the ids of all of them, which stay the same for the whole walk. */
  readonly batch?: readonly string[] | undefined;
}

/** A state with every field, if only as undefined: V8 compiles what reads states again for each shape that they have. */
export type WholeState<Query extends object> = { readonly [Field in keyof Required<WalkState>]: WalkState<Query>[Field] };

/**
 * How a page changes the state of its walk. It is small enough for a journal, and `moveWalk` needs nothing else to
 * recreate the next state.
 */
export interface WalkMove {
  /** The cursor of the next page. If missing, the same page is rechecked. */
  readonly cursor?: Token | undefined;
  /** Rows that the page added. */
  readonly items: number;
  /** Rows that the page had, if not the same number. */
  readonly received?: number | undefined;
  /** The page brought nothing: no row, or those of a page before. */
  readonly empty?: true | undefined;
  readonly mark?: number | undefined;
  readonly had?: readonly number[] | undefined;
  readonly again?: number | undefined;
  readonly claimed?: number | undefined;
  readonly recheck?: Recheck | undefined;
  readonly batch?: readonly string[] | undefined;
}

/** The sizes of a walk's pages so far. Pages without rows don't count. */
export interface PageSizes {
  /** Rows of the last page. */
  readonly last: number;
  /** The fewest rows of a page that another page followed. undefined for a first page. */
  readonly least: number | undefined;
  readonly most: number;
}

/** The sizes after one more page, of `rows` rows. */
export function withPage(sizes: PageSizes | undefined, rows: number): PageSizes | undefined {
  if (rows === 0) return sizes;
  if (sizes === undefined) return { last: rows, least: undefined, most: rows };
  return { last: rows, least: Math.min(sizes.least ?? Infinity, sizes.last), most: Math.max(sizes.most, rows) };
}
