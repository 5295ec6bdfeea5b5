import { countOf } from '../kit/countOf.ts';
import { ownValue } from '../kit/ownValue.ts';
import { type PageLike, type WalkEvent, receivedOf, rowCountOf } from '../PageLike.ts';
import { countAt } from './paging/followToken.ts';
import { markOf, mayHideRows, otherLists, rowMark } from './markOf.ts';
import type { Recheck } from './Recheck.ts';
import type { Onward } from './paging/PagingKind.ts';
import { kindOf } from './paging/pagingKinds.ts';
import { valueAt } from '../kit/path.ts';
import { rowsAt } from './rowsAt.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { StepOptions, WalkOptions } from './WalkOptions.ts';
import { withPage, type WalkState, type Shortness } from './Walk.ts';

/**
 * What a page brings.
 * - `new`: rows that the walk hasn't had, or those of a page that is rechecked;
 * - `empty`: no rows;
 * - `same`: the rows of a page before: of the last one, the one before that, or the first. If the number of rows is claimed, also a part
 *   of the rows of the last page;
 * - `past`: the same after a short page. Some services send this beyond their last page, so it is an end;
 * - `other`: the response to a recheck has none of the rows that the page had the first time.
 */
export type PageBrings = 'new' | 'empty' | 'same' | 'past' | 'other';

/**
 * How the rows so far compare with the number that is claimed. `none`: no number is claimed. `open`: rows are missing. `met`: none are.
 * `over`: exactly as many are there as the service itself says, so the walk is over.
 */
export type ClaimIs = 'none' | 'open' | 'met' | 'over';

/** What `stepWalk` needs to know about a page and its walk. */
export interface PageReading {
  readonly brings: PageBrings;
  readonly onward: Onward;
  readonly claim: ClaimIs;
  readonly claimed: number | undefined;
  /** How many rows are missing, if some are. */
  readonly short: Shortness | undefined;
  /** The rows to emit. */
  readonly rows: readonly unknown[];
  /** Rows or entries of the page, including those that are left out (`receivedOf`). */
  readonly received: number;
  /** It has no row, even if its outer list has entries. */
  readonly rowless: boolean;
  /** Pages of the walk, this one included. */
  readonly pages: number;
  /** Different rows of the walk, this page included. */
  readonly got: number;
  /** How many of `rows` came before with fewer fields. undefined: none. */
  readonly reemitted: number | undefined;
  /** The digests of the rows of the page, for the next one to be compared with. */
  readonly had: readonly number[] | undefined;
  /** How many rows there are by the page's own estimate. Only for a first page without rows. */
  readonly expected: number | undefined;
  /** Computes the digest of the page (`markOf`). The only page of a walk needs none. undefined: it has no rows. */
  readonly mark: () => number | undefined;
  /** Reports rows that are left out as repeated, though they have no id, so they may be others that look the same. */
  readonly droppedAsRepeats: WalkEvent | undefined;
  readonly notices: WalkEvent[];
}

const otherRows = 'the repeated request returned different rows; some of them may be duplicates';

export function readPage(operation: WalkedOperation, state: WalkState, page: PageLike, options: StepOptions): PageReading {
  const { paging } = operation;
  const kind = kindOf(paging);
  const notices: WalkEvent[] = [];
  const leading = options.rows === undefined ? page : leadingPage(operation, page, options.rows);
  const claimed = claimOf(operation, state, page, options);
  const counts = claimed !== undefined || (operation.id !== undefined && options.rows === undefined && kind.countsRows);
  const after = counts && state.had !== undefined ? againstBefore(operation, state, page) : undefined;
  const newRows = after?.newRows ?? page.items;
  // those that a recheck brings again are counted, too
  const unseen = state.recheck === undefined ? newRows : unseenRows(operation, state.recheck, newRows, options);
  const seenBefore = page.items.length - unseen.length;
  const onward = kind.onward({ operation, state, page: leading, seenBefore, options });
  const received = receivedOf(leading);
  const hidesRows = mayHideRows(operation, options);
  const known = state.marks === undefined ? undefined : markOf(operation, leading, options);
  const pages = state.pages + (state.recheck === undefined ? 1 : 0);
  const leads = 'cursor' in onward && pages < (options.maxPages ?? Infinity);
  const against = after ?? (counts && leads ? againstBefore(operation, state, page) : undefined);
  const isOld = claimed !== undefined && newRows.length === 0 && page.items.length > 0;
  const isKnown = isOld || (known !== undefined && state.marks?.includes(known) === true);
  const isEmpty = received === 0 && !(hidesRows && otherLists(page).length > 0);
  const comesBack = isKnown && kind.comesBack;
  const isRecheck = state.recheck !== undefined && state.recheck.rows.length > 0;
  const isOther = isRecheck && page.items.length > 0 && unseen.length === newRows.length;
  const repeated = claimed === undefined && kind.endsEmpty && wasShort(operation, state) ? 'past' : 'same';
  const brings: PageBrings = isEmpty || comesBack ? 'empty' : isOther ? 'other' : isKnown && !isRecheck ? repeated : 'new';
  // Other rows after a recheck are skipped only if they are known, or if a claim would show that rows are missing.
  const skipped = brings === 'same' || brings === 'past' || comesBack || (brings === 'other' && (claimed !== undefined || isKnown));
  const rows = skipped ? [] : unseen;
  if (brings === 'other' && !skipped) notices.push(thinPage(operation, state, otherRows));
  // With a claim, a missing row shows in the count, so a short page need not be reported.
  const tells = claimed === undefined && !hidesRows && !kind.resumes;
  if (tells && !isRecheck) notices.push(...shorterPage(operation, state, received));
  const items = state.items + rows.length;
  const back = against?.back ?? none;
  const fuller = back.size === 0 ? 0 : rows.filter((row) => back.has(row)).length;
  const got = items - state.reemitted - fuller;
  const short = shortOf(operation, got, claimed, page.items.length);
  return {
    brings,
    onward,
    claim: claimed === undefined ? 'none' : short !== undefined ? 'open' : got === claimed && claimed !== options.claimed ? 'over' : 'met',
    claimed,
    short,
    rows,
    received,
    rowless: rows.length === 0 && rowCountOf(leading) === 0,
    pages,
    got,
    reemitted: fuller === 0 ? undefined : fuller,
    had:
      page.items.length === 0 || (skipped && brings === 'other')
        ? undefined
        : state.recheck === undefined
          ? against?.marks
          : withRows(state.recheck, against?.marks),
    expected: operation.estimates === undefined ? undefined : expectedRows(operation.estimates, state, page, options),
    mark() {
      if (brings === 'other') return skipped ? undefined : known; // the next page is compared with the one whose rows were emitted
      return known ?? markOf(operation, leading, options);
    },
    droppedAsRepeats:
      comesBack && (operation.id === undefined || options.rows !== undefined)
        ? repeatedRows(operation, state, page.items.length)
        : undefined,
    notices,
  };
}

/**
 * The page with the rows of the operation's own list. They decide how a walk goes on, even if the user takes rows from another list: that
 * list may be empty, absent or the same on every page. If the operation's own list is absent or not documented, the other list decides.
 */
function leadingPage(walked: WalkedOperation, page: PageLike, rows: string): PageLike {
  const { rows: list } = walked;
  if (list === undefined || rows === list || mayHideRows(walked, {})) return page;
  const own = rowsAt(page.data, list, walked);
  const { operation, query, data, next, batch, headers } = page;
  return own.list === 'absent' ? page : { operation, query, data, next, batch, headers, ...own };
}

interface AgainstBefore {
  /** The digests of the rows of this page. */
  readonly marks: readonly number[];
  /** The rows that the page before didn't have. */
  readonly newRows: readonly unknown[];
  /** Those of them that the page before had with fewer fields. */
  readonly back: ReadonlySet<unknown>;
}

const none: ReadonlySet<unknown> = new Set();

/**
 * Compares the rows of a page with those of the page before, so that a row that comes twice counts once. This is needed if the number of
 * rows is claimed or ends the walk. Rows are the same if they have the same id. Without an id, all their fields must be the same. With
 * paging by parameters (`comesBack`), a row with the same id and other fields is emitted again.
 */
function againstBefore({ id, paging }: WalkedOperation, { had }: WalkState, { items }: PageLike): AgainstBefore {
  const marks = items.map((row) => rowMark(id, row));
  const wholes = kindOf(paging).comesBack && id !== undefined ? items.map((row) => rowMark(undefined, row)) : marks;
  const both = wholes === marks ? marks : [...marks, ...wholes];
  if (had === undefined) return { marks: both, newRows: items, back: none };
  const before = new Set(had);
  const newRows = items.filter((_, index) => !before.has(wholes[index]!));
  const back = wholes === marks ? none : new Set(items.filter((_, index) => before.has(marks[index]!)));
  return { marks: both, newRows: newRows.length === items.length ? items : newRows, back };
}

/** The digests of a page's rows: those from before its recheck, and those from after it. */
function withRows({ rows }: Recheck, marks: readonly number[] | undefined): readonly number[] | undefined {
  return marks && [...rows, ...marks];
}

function unseenRows({ id }: WalkedOperation, recheck: Recheck, newRows: readonly unknown[], { rows }: WalkOptions): readonly unknown[] {
  return newRows.filter((row) => !recheck.rows.includes(rowMark(rows === undefined ? id : undefined, row)));
}

/** How many rows are missing, if some are. `last`: the rows of the last page. */
export function shortOf(operation: WalkedOperation, got: number, claimed: number | undefined, last: number): Shortness | undefined {
  if (claimed === undefined || got >= claimed) return undefined;
  return { got, claimed, tolerable: !looksCut(operation, last) && claimed - got <= Math.max(3, claimed * 0.05) };
}

/** Reports the page before this one, if it had at most half as many rows as the longest page of the walk. */
function shorterPage(operation: WalkedOperation, state: WalkState, received: number): readonly WalkEvent[] {
  const { sizes } = state;
  const most = withPage(sizes, received)?.most ?? 0;
  if (sizes === undefined || received === 0 || most < 5 || sizes.last * 2 > most) return [];
  const rows = countOf(sizes.last, 'row');
  return [thinPage(operation, state, `the page before this one has ${rows}, and another has ${most}`)];
}

/** The estimate of how many rows there are, if this is a walk's first page and has none. */
function expectedRows(estimates: string, { sizes, partial }: WalkState, page: PageLike, { rows }: WalkOptions): number | undefined {
  if (sizes !== undefined || partial || receivedOf(page) > 0 || rows !== undefined) return undefined;
  const value = valueAt(page.data, estimates);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** The total number of rows: as this page says, else an earlier page, else the caller. */
export function claimOf(operation: WalkedOperation, state: WalkState, page: PageLike, options: WalkOptions): number | undefined {
  if (state.partial || options.rows !== undefined) return undefined;
  return claimIn(operation, state.query, page) ?? state.claimed ?? options.claimed;
}

/** The total number of rows that a page says. undefined: it says none, or one for several queries together. */
export function claimIn({ claims }: WalkedOperation, query: object, page: PageLike): number | undefined {
  if (page.batch !== undefined || claims === undefined || claims.unless?.some((param) => ownValue(query, param) !== undefined))
    return undefined;
  return countAt(page, claims.at);
}

/** Most services have pages of 10 rows, or a multiple of it. */
export const usualSize = 10;

/** Whether a last page with this many rows may not be the last: it is full, or it is empty where walks don't end with an empty page. */
export function looksCut({ paging }: Pick<WalkedOperation, 'paging'>, rows: number): boolean {
  const kind = kindOf(paging);
  return rows % (kind.pageSize ?? usualSize) === 0 && (rows > 0 || !kind.endsEmpty);
}

/** Whether the page before this one has fewer rows than a full one. */
function wasShort({ paging }: WalkedOperation, { sizes }: WalkState): boolean {
  return sizes !== undefined && sizes.last < Math.max(sizes.most, kindOf(paging).pageSize ?? 0);
}

/** Reports rows that are left out as repeated, though they may be others. */
function repeatedRows(operation: WalkedOperation, state: WalkState, droppedAsRepeats: number): WalkEvent {
  const rows = countOf(droppedAsRepeats, 'row is', 'rows are');
  return { ...thinPage(operation, state, `${rows} left out: like those of a page before, and without an id`), droppedAsRepeats };
}

/** Reports a page that seems to lack rows. */
export function thinPage(
  { name }: Pick<WalkedOperation, 'name'>,
  { query }: WalkState,
  message: string,
): WalkEvent & { readonly type: 'thinPage' } {
  return { type: 'thinPage', operation: name, query, message };
}
