import { ownValue } from '../kit/ownValue.ts';
import type { PageLike, Token } from '../PageLike.ts';
import { type Recheck, type RecheckReason, isRefusedRecheck } from './Recheck.ts';
import { rowMark } from './markOf.ts';
import { kindOf } from './paging/pagingKinds.ts';
import type { Onward } from './paging/PagingKind.ts';
import { claimOf, type ClaimIs, type PageBrings, type PageReading, readPage, shortOf, thinPage, usualSize } from './readPage.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { StepOptions, WalkOptions } from './WalkOptions.ts';
import { type FoundRow, type WalkState, withPage, type WalkFault, type WalkStep } from './Walk.ts';

/**
 * What a page says about its walk. `idle`: it brought nothing, and leads on. `circle`: it would lead on for ever. `lost`: it neither leads
 * on nor ends the walk.
 */
export type PageSays = 'next' | 'idle' | 'end' | 'circle' | 'lost';

/**
 * What a page says about its walk, by what it brings, by the claimed number of rows, and by where it leads. The first line that fits
 * counts. `any` fits everything.
 */
export const pageTable: readonly (readonly [PageBrings | 'any', ClaimIs | 'any', Onward['kind'] | 'any', PageSays])[] = [
  ['empty', 'any', 'stays', 'end'],
  ['same', 'any', 'stays', 'end'],
  ['past', 'any', 'any', 'end'],
  ['same', 'none', 'any', 'circle'],
  ['same', 'met', 'any', 'end'],
  ['any', 'over', 'any', 'end'],
  ['any', 'any', 'end', 'end'],
  ['any', 'any', 'lost', 'lost'],
  ['same', 'any', 'on', 'idle'],
  ['empty', 'any', 'on', 'idle'],
  ['any', 'any', 'any', 'next'],
];

/**
 * Reasons to stop that the page doesn't say. `found`: it has the row that the walk looks for. `limit`: a limit of the user is reached.
 * `cutOff`: the same, and the service claims more rows. `worn`: too many pages in a row brought nothing.
 */
export type WalkStop = 'found' | 'limit' | 'cutOff' | 'worn' | 'none';

export type WalkAction = 'found' | 'next' | 'recheck' | 'end' | 'capped' | 'fail';

/** What a walk does after a page: by what the page says, by the reason to stop, and by whether it is rechecked. The first line counts. */
export const walkTable: readonly (readonly [PageSays | 'any', WalkStop | 'any', 'doubted' | 'any', WalkAction])[] = [
  ['any', 'found', 'any', 'found'],
  ['any', 'cutOff', 'any', 'capped'],
  ['circle', 'any', 'any', 'fail'],
  ['end', 'limit', 'any', 'end'],
  ['any', 'limit', 'any', 'capped'],
  ['lost', 'any', 'any', 'fail'],
  ['end', 'any', 'doubted', 'recheck'],
  ['end', 'any', 'any', 'end'],
  ['idle', 'any', 'doubted', 'recheck'],
  ['any', 'worn', 'any', 'fail'],
  ['any', 'any', 'any', 'next'],
];

const maxIdleRun = 3;
const maxRowlessRun = 20;
const sameRows = 'this page brings the rows of one before it again, so the walk would not end';

/**
 * What follows from `page`, the response to `state.query`: another query, the end, or an error. `walkTable` decides, and this function
 * changes nothing. The caller applies the move (`moveWalk`), requests the pages, emits the rows, reports the notices, and marks a page that
 * is unreliable.
 *
 * A page that seems to lack rows is requested once more: see `RecheckReason`. This usually recovers a lost token or a bad page. What still
 * seems to be missing is reported: as `short` if figures are known, else as `thinPage`.
 *
 * These are errors: a page without its list; a token that was used before, or whose type doesn't fit; a third page in a row that is empty
 * or repeated; a twentieth in a row without a row. If no page says how many rows there are, the first repeated page is an error, unless the
 * page before it has fewer rows than a full one.
 */
export function stepWalk(operation: WalkedOperation, state: WalkState, page: PageLike, options: StepOptions = {}): WalkStep {
  if (page.list === 'absent' && operation.listUndocumented !== true && options.rows === undefined) return noPage(operation, state, options);
  if (kindOf(operation.paging).operator === undefined) {
    const rows = page.items;
    const only = { notices: [], rows, got: rows.length };
    const found = options.until && foundIn(rows, state, 1, options.until, options);
    if (found !== undefined) return { kind: 'end', reason: 'found', found, ...only };
    const claimed = claimOf(operation, state, page, options);
    return { kind: 'end', reason: 'complete', claimed, short: shortOf(operation, rows.length, claimed, rows.length), ...only };
  }
  const read = readPage(operation, state, page, options);
  const { onward, rows, got, claimed, notices, pages } = read;
  const { query } = state;
  const items = state.items + rows.length;
  const batch = state.batch === undefined ? page.batch : undefined;
  const cursor = 'cursor' in onward ? onward.cursor : undefined;
  const says = firstFit(pageTable, read.brings, read.claim, onward.kind);
  const found = options.until && foundIn(rows, state, pages, options.until, options);
  const limit = limitReached(pages, items, options);
  const worn = says === 'end' ? undefined : wornBy(operation, state, read, says === 'idle');
  const stop = found ? 'found' : limit === undefined ? (worn === undefined ? 'none' : 'worn') : read.short ? 'cutOff' : 'limit';
  const doubt = limit === undefined && state.recheck === undefined ? doubtOf(says, read, state, operation) : undefined;
  const isDoubted = doubt !== undefined && isRechecked(operation, state, doubt, read);
  switch (firstFit(walkTable, says, stop, isDoubted ? 'doubted' : 'any')) {
    case 'found':
      return { kind: 'end', reason: 'found', found: found!, notices, rows, got };
    case 'fail': {
      const message = says === 'circle' ? sameRows : onward.kind === 'lost' ? onward.message : worn!;
      const fault = faultOf(operation, state, options, message);
      return { kind: 'error', fault, deliver: rows.length > 0, claimed, notices, rows, got, unreliable: 'wrong' };
    }
    case 'capped': {
      const event = { type: 'capped', operation: operation.name, query, limit: limit!, pages, items, nextCursor: cursor } as const;
      return { kind: 'end', reason: 'capped', event, notices, rows, got };
    }
    case 'recheck': {
      const id = options.rows === undefined ? operation.id : undefined;
      const recheck: Recheck = { reason: doubt!, rows: rows.map((row) => rowMark(id, row)) };
      const mark = rows.length === 0 ? undefined : read.mark();
      const move = { items: rows.length, mark, reemitted: read.reemitted, claimed, recheck, batch };
      return { kind: 'next', move, notices, rows, got, unreliable: doubt };
    }
    case 'end': {
      const trusted = state.recheck !== undefined && isRefusedRecheck(page) ? state.recheck.reason : doubt;
      if (read.expected !== undefined)
        notices.push(thinPage(operation, state, `it has no rows, though ${operation.estimates} is ${read.expected}`));
      if (read.droppedAsRepeats !== undefined) notices.push(read.droppedAsRepeats);
      if (trusted === 'full' || trusted === 'listed') notices.push({ type: 'fullEnd', operation: operation.name, query });
      const unreliable = read.short?.tolerable === false ? 'wrong' : undefined;
      // Every field is written out, because adding one to a spread copy takes V8 a microsecond.
      return { kind: 'end', reason: 'complete', claimed, short: read.short, notices, rows, got, unreliable };
    }
    default: {
      const idle = says === 'idle';
      if (idle && read.droppedAsRepeats !== undefined) notices.push(read.droppedAsRepeats);
      else if (idle && read.claim === 'none') notices.push(thinPage(operation, state, 'it has no rows, and leads on to more pages'));
      const move = {
        cursor,
        items: rows.length,
        received: read.received === rows.length ? undefined : read.received,
        empty: idle || undefined,
        rowless: read.rowless || undefined,
        mark: read.mark(),
        had: read.had,
        reemitted: read.reemitted,
        claimed,
        batch,
      };
      return { kind: 'next', move, notices, rows, got };
    }
  }
}

/** The first row that the walk looks for. Rows beyond `maxItems` don't count. */
function foundIn(
  rows: readonly unknown[],
  { items, reemitted }: WalkState,
  page: number,
  until: NonNullable<StepOptions['until']>,
  { maxItems = Infinity }: StepOptions,
): FoundRow | undefined {
  const at = rows.findIndex(until);
  return at < 0 || items + at >= maxItems ? undefined : { rank: items - reemitted + at + 1, page };
}

const noList = 'this page has no list of rows, not even an empty one, so its rows are unknown';

/** The error after too many pages in a row that brought nothing. undefined: there weren't too many. */
function wornBy({ rows }: WalkedOperation, state: WalkState, read: PageReading, isIdle: boolean): string | undefined {
  if (isIdle && state.empty + 1 >= maxIdleRun)
    return read.brings === 'same' ? sameRows : `${maxIdleRun} empty pages in a row, and still no end`;
  if (!read.rowless || state.rowless + 1 < maxRowlessRun) return undefined;
  const [outer, ...inner] = rows?.split('[]') ?? [];
  const advice =
    inner.length === 0
      ? ''
      : `; if each entry of ${outer || 'the response'} is a query, and not what is paged, say rows: ` +
        `'${[outer, '0'].filter(Boolean).join('.')}${inner.join('[]')}'`;
  return `${maxRowlessRun} pages in a row have no row, and still there is no end${advice}`;
}

/** A response without its list is no page: it brings no rows, and ends no walk. */
function noPage(operation: WalkedOperation, state: WalkState, options: WalkOptions): WalkStep {
  const fault = faultOf(operation, state, options, noList);
  return { kind: 'error', fault, deliver: false, notices: [], rows: [], got: state.items - state.reemitted, unreliable: 'wrong' };
}

function faultOf({ name, paging }: WalkedOperation, { query }: WalkState, options: WalkOptions, message: string): WalkFault {
  const lastCursor = ownValue(query, kindOf(paging).param(options)) as Token | undefined;
  return { message: `${name}: ${message}`, query, lastCursor };
}

/** The result of the first line that fits. */
export function firstFit<Result>(
  table: readonly (readonly [string, string, string, Result])[],
  first: string,
  second: string,
  third: string,
): Result {
  let at = 0;
  for (let fits = false; !fits; at++) {
    const [a, b, c] = table[at]!;
    fits = (a === first || a === 'any') && (b === second || b === 'any') && (c === third || c === 'any');
  }
  return table[at - 1]![3];
}

function limitReached(pages: number, items: number, options: WalkOptions): 'maxPages' | 'maxItems' | undefined {
  if (pages >= (options.maxPages ?? Infinity)) return 'maxPages';
  return items >= (options.maxItems ?? Infinity) ? 'maxItems' : undefined;
}

/**
 * Whether a doubtful page is requested a second time: if it contradicts what the service itself says, or if it is full and the last of
 * several. Other doubtful pages are usually right, and are requested again only with `recheck: 'always'`. A service that counts the pages
 * of a token would send another page to the same request, so none is rechecked there after the first.
 */
function isRechecked(
  { recheck, paging }: WalkedOperation,
  state: WalkState,
  reason: RecheckReason,
  { pages, claim }: Pick<PageReading, 'pages' | 'claim'>,
): boolean {
  if (kindOf(paging).tokenRepeats && state.pages > 0) return false;
  if (recheck === 'always') return true;
  if (reason === 'full') return pages > 1;
  return reason === 'idle' ? claim === 'open' : reason !== 'empty';
}

/** Why a page is doubtful, the strongest reason first. All but `idle` are about a page that would be the last. */
function doubtOf(says: PageSays, read: PageReading, state: WalkState, operation: WalkedOperation): RecheckReason | undefined {
  const { brings, short, onward, expected, received } = read;
  if (says === 'idle') return state.gap ? undefined : 'idle';
  if (says !== 'end') return undefined;
  if (short !== undefined) return 'short';
  if (brings === 'past') return undefined;
  if (onward.kind === 'end' && onward.doubtful === true) return 'listed';
  if (expected !== undefined) return 'estimate';
  if (received === 0 && state.sizes === undefined && !state.partial) return 'empty';
  return isFullEnd(read, state, operation) ? 'full' : undefined;
}

/** A page with fewer rows isn't taken for a full one, unless the size of a full page is documented. */
const minRows = 5;

/**
 * Whether a walk ends on a full page, though neither a claim nor the page says that it is the last. A page is full if it has the documented
 * size, or as many rows as an earlier page that others followed. If neither is known, it is full if its size is a multiple of ten. The end
 * is certain if a search is known to return no more rows than these (`splits.full`).
 */
function isFullEnd(
  { claimed, onward, received, rows }: PageReading,
  { sizes, items }: WalkState,
  { paging, splits }: WalkedOperation,
): boolean {
  const isTold = onward.kind === 'end' && onward.told === true && received > 0;
  if (claimed !== undefined || isTold || items + rows.length >= (splits?.full ?? Infinity)) return false;
  const { last = 0, least = Infinity } = withPage(sizes, received) ?? {};
  const documented = kindOf(paging).pageSize ?? Infinity;
  if (last < Math.min(minRows, documented)) return false;
  const size = Math.min(documented, least);
  return size === Infinity ? last % usualSize === 0 : last >= size;
}
