import { textOfValue } from '../kit/canonicalJson.ts';
import type { PageFactory } from '../PageFactory.ts';
import type { PageLike, Token, WalkEvent } from '../PageLike.ts';
import { kindOf } from './paging/pagingKinds.ts';
import type { Recheck, Unreliable } from './Recheck.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkOptions } from './WalkOptions.ts';

/** The state of a walk: all it needs to continue. `moveWalk` makes the next state, which shares the set `seen`. */
export interface WalkState<Query extends object = object> {
  /** The query to request next. */
  readonly query: Query;
  /** Pages so far. */
  readonly pages: number;
  /** Rows so far. */
  readonly items: number;
  /** Pages in a row that brought nothing: no rows, or those of a page before. */
  readonly empty: number;
  /** Pages in a row without any row, even if their outer list had entries. */
  readonly rowless: number;
  /** Tokens requested so far, as texts. None before the first one. */
  readonly seen: Set<string> | undefined;
  /**
   * The digests of up to three pages with rows, to notice a page that repeats one: the first, because some services start over beyond
   * their last page; the last; and the one before it, because the response to a recheck may be that page.
   */
  readonly marks: readonly number[] | undefined;
  /** The digests of the rows of the last page, because pages may overlap. Only where the number of rows matters. */
  readonly had: readonly number[] | undefined;
  /** Rows that were emitted a second time, because they came again with more fields. The claim counts them once. */
  readonly reemitted: number;
  /** The walk began in the middle, so its row count can't be compared with the claimed total. */
  readonly partial: boolean;
  /** The total number of rows that the service claims. */
  readonly claimed: number | undefined;
  /** Set while the page is rechecked. */
  readonly recheck: Recheck | undefined;
  /** A page that was empty or repeated another led on, so its rows may be missing. */
  readonly gap: boolean;
  /** Absent before the first page with rows. */
  readonly sizes: PageSizes | undefined;
  /** Other queries share its requests: the ids of all of these queries. They stay the same for the whole walk. */
  readonly batch: readonly string[] | undefined;
}

/** The sizes of a walk's pages so far. Pages without rows don't count. */
interface PageSizes {
  /** Rows of the last page. */
  readonly last: number;
  /** The fewest rows of a page that another page followed. undefined: there was only one page. */
  readonly least: number | undefined;
  readonly most: number;
}

/**
 * The first state of a walk. A query that already has a token or a page starts there. `startCursor` and `startPage`
 * take precedence over it.
 */
export function startWalk<Query extends object>(
  { name, paging }: WalkedOperation,
  query: Query,
  options: WalkOptions = {},
): WalkState<Query> {
  const { query: first, partial, token } = kindOf(paging).begin(query, options, name);
  const seen = token === undefined ? undefined : new Set([textOfValue(token)]);
  return {
    query: first,
    pages: 0,
    items: 0,
    empty: 0,
    rowless: 0,
    seen,
    marks: undefined,
    had: undefined,
    reemitted: 0,
    partial,
    claimed: undefined,
    recheck: undefined,
    gap: false,
    batch: undefined,
    sizes: undefined,
  };
}

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
  readonly rowless?: true | undefined;
  readonly mark?: number | undefined;
  readonly had?: readonly number[] | undefined;
  readonly reemitted?: number | undefined;
  readonly claimed?: number | undefined;
  readonly recheck?: Recheck | undefined;
  readonly batch?: readonly string[] | undefined;
}

/**
 * The state of a walk after a move. A live walk and a walk replayed from a journal both use this function, so they
 * reach the same state.
 */
export function moveWalk<Query extends object>(
  { paging }: WalkedOperation,
  state: WalkState<Query>,
  move: WalkMove,
  options: WalkOptions = {},
): WalkState<Query> {
  const { cursor } = move;
  const kind = kindOf(paging);
  return {
    query: cursor === undefined ? state.query : kind.move(state.query, cursor, options),
    pages: state.pages + (state.recheck === undefined ? 1 : 0),
    items: state.items + move.items,
    empty: move.empty === true ? state.empty + 1 : 0,
    rowless: move.rowless === true ? state.rowless + 1 : 0,
    seen: cursor !== undefined && kind.operator === 'expandCursor' ? (state.seen ?? new Set()).add(textOfValue(cursor)) : state.seen,
    marks: marksWith(state.marks, move.mark),
    had: move.had ?? state.had,
    reemitted: state.reemitted + (move.reemitted ?? 0),
    partial: state.partial,
    claimed: move.claimed ?? state.claimed,
    recheck: move.recheck,
    gap: state.gap || move.empty === true,
    batch: move.batch ?? state.batch,
    sizes: cursor === undefined ? state.sizes : withPage(state.sizes, move.received ?? move.items),
  };
}

/** The first mark, the one before the last, and the last. */
function marksWith(marks: readonly number[] | undefined, mark: number | undefined): readonly number[] | undefined {
  if (mark === undefined || marks === undefined) return mark === undefined ? marks : [mark];
  const last = marks.at(-1)!;
  return mark === last ? marks : [marks[0]!, last, mark];
}

/** The sizes after one more page, of `rows` rows. */
export function withPage(sizes: PageSizes | undefined, rows: number): PageSizes | undefined {
  if (rows === 0) return sizes;
  if (sizes === undefined) return { last: rows, least: undefined, most: rows };
  return { last: rows, least: Math.min(sizes.least ?? Infinity, sizes.last), most: Math.max(sizes.most, rows) };
}

/** What follows from a page. In every case, report `notices` and emit `rows`. */
export type WalkStep = (
  | { readonly kind: 'next'; readonly move: WalkMove }
  /** `claimed`: the total the service claims. `short`: fewer rows came. */
  | { readonly kind: 'end'; readonly reason: 'complete'; readonly claimed?: number | undefined; readonly short?: Shortness | undefined }
  /** A limit ended the walk early. `event` says so and must be reported too. */
  | { readonly kind: 'end'; readonly reason: 'capped'; readonly event: Extract<WalkEvent, { readonly type: 'capped' }> }
  /** The page has the row that the walk looked for. */
  | { readonly kind: 'end'; readonly reason: 'found'; readonly found: FoundRow }
  /** `deliver: false`: the page has no new rows, so it isn't emitted. */
  | { readonly kind: 'error'; readonly fault: WalkFault; readonly deliver: boolean; readonly claimed?: number | undefined }
) & {
  readonly notices: readonly WalkEvent[];
  readonly rows: readonly unknown[];
  /** Different rows of the walk so far. */
  readonly got: number;
  /** The page can't be right, so no store may keep it (`setUnreliable`). */
  readonly unreliable?: Unreliable | undefined;
};

/** The row that a walk looked for: its rank among the rows of the walk, and the number of its page. Both count from 1. */
export interface FoundRow {
  readonly rank: number;
  readonly page: number;
}

/** Why a walk can't continue. */
export interface WalkFault {
  /** Begins with the name of the operation. */
  readonly message: string;
  readonly query: object;
  /** The last good cursor. */
  readonly lastCursor: Token | undefined;
}

export interface Shortness {
  readonly got: number;
  readonly claimed: number;
  /** So few rows are missing that the claim may be wrong: at most 5 % or 3 rows, and the last page isn't full. */
  readonly tolerable: boolean;
}

/** The error of a walk that can't continue, created by its factory. */
export function pageError(
  factory: Pick<PageFactory<never, PageLike>, 'name' | 'paginationError'>,
  { message, ...details }: WalkFault,
): Error {
  if (factory.paginationError !== undefined) return factory.paginationError(message, details);
  return Object.assign(new Error(message), { name: 'PaginationError', operation: factory.name, ...details });
}
