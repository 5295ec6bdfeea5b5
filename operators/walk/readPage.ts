import { countOf } from '../kit/countOf.ts';
import { ownValue } from '../kit/ownValue.ts';
import { type PageLike, type WalkEvent, receivedOf, rowCountOf } from '../PageLike.ts';
import { readCount } from './paging/followToken.ts';
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
 * - `same`: the rows of one of the two pages before or of the first, or, where their number is claimed, none but rows of the page before;
 * - `past`: the rows of one before it, after a page with fewer rows than others: what some services send beyond their last page;
 * - `other`: none of the rows that it had before its recheck.
 */
export type PageBrings = 'new' | 'empty' | 'same' | 'past' | 'other';

/**
 * What the total says that the service claims: there is none, rows are missing, or all are there. `over`: a page says so, and the
 * figure fits exactly.
 */
export type ClaimIs = 'none' | 'open' | 'met' | 'over';

/** A page and its walk, as far as the next step depends on them. */
export interface PageReading {
  readonly brings: PageBrings;
  readonly onward: Onward;
  readonly claim: ClaimIs;
  readonly claimed: number | undefined;
  /** How many rows are missing, if some are. */
  readonly short: Shortness | undefined;
  /** The rows to emit. */
  readonly rows: readonly unknown[];
  /** Rows of the page, the ones that were left out included. */
  readonly received: number;
  /** No row was in it, though its outer list may have entries. */
  readonly rowless: boolean;
  /** Pages of the walk, this one included. */
  readonly pages: number;
  /** Different rows of the walk, this page included. */
  readonly got: number;
  /** Emitted rows that the page before had with less in them. */
  readonly reemitted: number | undefined;
  /** Identifies the rows of the page. */
  readonly had: readonly number[] | undefined;
  /** The number of rows that the page estimates itself, if it is a first page without any. */
  readonly expected: number | undefined;
  /** Identifies the page. It is computed where needed, as the only page of a walk needs none. undefined: it has no rows. */
  readonly mark: () => number | undefined;
  /** Rows that are left out as those of a page before, though without an id they may be others. */
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
  const again = page.items.length - unseen.length;
  const onward = kind.onward({ operation, state, page: leading, again, options });
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
  // Without a claim, nothing would tell that rows are missing. So other rows are skipped only if they are known.
  const skipped = brings === 'same' || brings === 'past' || comesBack || (brings === 'other' && (claimed !== undefined || isKnown));
  const rows = skipped ? [] : unseen;
  if (brings === 'other' && !skipped) notices.push(thinPage(operation, state, otherRows));
  // A claim tells more exactly what is missing.
  const tells = claimed === undefined && !hidesRows && !kind.resumes;
  if (tells && !isRecheck) notices.push(...shorterPage(operation, state, received));
  const items = state.items + rows.length;
  const back = against?.back ?? none;
  const fuller = back.size === 0 ? 0 : rows.filter((row) => back.has(row)).length;
  const got = items - state.reemitted - fuller;
  const short = claimed === undefined || got >= claimed ? undefined : shortness(got, claimed, looksCut(operation, page.items.length));
  return {
    brings,
    onward,
    claim: claimed === undefined ? 'none' : short !== undefined ? 'open' : got === claimed && claimed !== options.claimed ? 'over' : 'met',
    claimed,
    short,
    rows,
    received,
    rowless: rowCountOf(leading) === 0 && rows.length === 0,
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
 * The page with the rows of the operation's own list. A walk goes by them, also where its rows are taken from another list, because
 * that list may be empty, absent or the same on any page. If the response has no such list, or that isn't documented, the walk goes by
 * the other list.
 */
function leadingPage(walked: WalkedOperation, page: PageLike, rows: string): PageLike {
  const { rows: list } = walked;
  if (list === undefined || rows === list || mayHideRows(walked, {})) return page;
  const own = rowsAt(page.data, list, walked);
  const { operation, query, data, next, batch } = page;
  return own.list === 'absent' ? page : { operation, query, data, next, batch, ...own };
}

interface AgainstBefore {
  /** Identifies the rows of this page. */
  readonly marks: readonly number[];
  /** The rows that the page before hadn't. */
  readonly newRows: readonly unknown[];
  /** Those of them that it had with less in them. */
  readonly back: ReadonlySet<unknown>;
}

const none: ReadonlySet<unknown> = new Set();

/**
 * Compares the rows of a page with those of the page before, so that a row that comes twice counts once. This is needed where the number
 * of rows is claimed or ends the walk, and the page isn't the only one. Rows are the same if they have the same id, or without an id if
 * all their fields are the same. Where rows come back with more in them, such a row is emitted again.
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

/** The rows of a page, with those that it had before its recheck. */
function withRows({ rows }: Recheck, marks: readonly number[] | undefined): readonly number[] | undefined {
  return marks && [...rows, ...marks];
}

function unseenRows({ id }: WalkedOperation, recheck: Recheck, newRows: readonly unknown[], { rows }: WalkOptions): readonly unknown[] {
  return newRows.filter((row) => !recheck.rows.includes(rowMark(rows === undefined ? id : undefined, row)));
}

function shortness(got: number, claimed: number, cut: boolean): Shortness {
  return { got, claimed, tolerable: !cut && claimed - got <= Math.max(3, claimed * 0.05) };
}

/** Reports that the page before this one was in the middle of the walk, and had at most half the rows of the longest one. */
function shorterPage(operation: WalkedOperation, state: WalkState, received: number): readonly WalkEvent[] {
  const { sizes } = state;
  const most = withPage(sizes, received)?.most ?? 0;
  if (sizes === undefined || received === 0 || most < 5 || sizes.last * 2 > most) return [];
  const rows = countOf(sizes.last, 'row');
  return [thinPage(operation, state, `the page before this one has ${rows}, and another has ${most}`)];
}

/** How many rows a walk's first page without any says that there are, by an estimate. */
function expectedRows(estimates: string, { sizes, partial }: WalkState, page: PageLike, { rows }: WalkOptions): number | undefined {
  if (sizes !== undefined || partial || receivedOf(page) > 0 || rows !== undefined) return undefined;
  const value = valueAt(page.data, estimates);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** The total number of rows: from this page, unless it is that of several queries, else from the page before, else from the caller. */
export function claimOf(operation: WalkedOperation, state: WalkState, page: PageLike, options: WalkOptions): number | undefined {
  if (state.partial || options.rows !== undefined) return undefined;
  return claimIn(operation, state.query, page) ?? state.claimed ?? options.claimed;
}

/** The total number of rows that a page says. */
export function claimIn({ claims }: WalkedOperation, query: object, page: PageLike): number | undefined {
  if (page.batch !== undefined || claims === undefined || claims.unless?.some((param) => ownValue(query, param) !== undefined))
    return undefined;
  return readCount(valueAt(page.data, claims.at));
}

/** Services page by tens. */
export const usualSize = 10;

/** Whether a last page of this many rows looks like one in the middle: full, or empty where no walk has to end so. */
export function looksCut({ paging }: Pick<WalkedOperation, 'paging'>, rows: number): boolean {
  const kind = kindOf(paging);
  return rows % (kind.pageSize ?? usualSize) === 0 && (rows > 0 || !kind.endsEmpty);
}

/** Whether the page before this one has fewer rows than a full one. */
function wasShort({ paging }: WalkedOperation, { sizes }: WalkState): boolean {
  return sizes !== undefined && sizes.last < Math.max(sizes.most, kindOf(paging).pageSize ?? 0);
}

/** The report of rows that are left out, though they may be others. */
function repeatedRows(operation: WalkedOperation, state: WalkState, droppedAsRepeats: number): WalkEvent {
  const rows = countOf(droppedAsRepeats, 'row is', 'rows are');
  return { ...thinPage(operation, state, `${rows} left out: like those of a page before, and without an id`), droppedAsRepeats };
}

/** The report of a page that seems to lack rows. */
export function thinPage(
  { name }: Pick<WalkedOperation, 'name'>,
  { query }: WalkState,
  message: string,
): WalkEvent & { readonly type: 'thinPage' } {
  return { type: 'thinPage', operation: name, query, message };
}
