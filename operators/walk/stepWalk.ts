import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { claimOf } from './claimOf.ts';
import { doubt } from './doubt.ts';
import { endsFull, looksCut, receivedOf, suspect, thinPage, unmetEstimate } from './suspicions.ts';
import { fingerprintOf, rowMark } from './fingerprint.ts';
import { moveWalk } from './moveWalk.ts';
import { nextOffset, nextToken } from './onward.ts';
import { withPage, type WalkMove, type WalkState } from './WalkState.ts';
import type { WalkFactory } from './WalkFactory.ts';
import { type WalkOptions, walkParam } from './WalkOptions.ts';
import type { Shortness, WalkStep } from './WalkStep.ts';

const longestIdleRun = 3;
const sameRows = 'this page brings the rows of one before it again, so the walk would not end';
const otherRows = 'requested a second time, it has none of the rows it had, so it may be another page, and its rows here twice';

/**
 * What follows from `page`, the response to `state.query`: another query, the end, or an error. It does no I/O: the
 * caller requests the pages, emits the rows and reports the notices. A page that can't be right is marked (`doubt`), so
 * that a store doesn't keep it.
 *
 * A suspect page is requested once more, which usually recovers a lost token or a bad page:
 * - the last one, if rows are missing that the service claims, or if the walk would end on a full page (`endsFull`);
 * - an empty one that leads on to others, or one that repeats one of the two before while rows are missing. If it comes
 *   the same, the walk follows its token, and doesn't look a second time at such a page.
 *
 * What still seems to be missing is reported: as `short` with its figures, or as `suspect` where there are none.
 *
 * It is an error if a token was already requested or isn't a string, a third page in a row is empty or repeated, or the
 * end can't be known because the list is missing. Without a claim, the first repeated page is an error.
 */
export function stepWalk<Query extends object>(
  factory: WalkFactory,
  state: WalkState<Query>,
  page: PageLike,
  options: WalkOptions = {},
): WalkStep<Query> {
  const { paging } = factory;
  const { again } = state;
  const id = options.rows === undefined ? factory.id : undefined;
  const known = again === undefined ? page.items : page.items.filter((row) => !again.includes(rowMark(id, row)));
  if (paging.kind === 'none') return { kind: 'end', reason: 'complete', notices: [], rows: known };
  const notices: WalkEvent[] = [];
  const asked = (state.query as Params)[walkParam(factory, options)] as string | number | undefined;
  const claimed = claimOf(factory, state, page, options);
  const fail = (message: string, deliver = true): WalkStep<Query> => {
    doubt(page);
    const error = paginationError(factory, message, state.query, asked);
    return { kind: 'error', error, deliver, claimed, notices, rows: deliver ? rows : [] };
  };

  const mark = page.items.length === 0 ? undefined : (page.mark ?? fingerprintOf(page.items));
  const onward =
    paging.kind === 'cursor' ? nextToken(factory, state, page, options, notices) : nextOffset(factory, state, page, options, notices);
  // A new token, or its absence, takes precedence over an undocumented list, unless the caller named it.
  const goesOn = paging.kind === 'cursor' && onward.kind !== 'broken' && factory.listUndocumented === true && options.rows === undefined;
  const before = mark !== undefined && (mark === state.mark || mark === state.before);
  const repeated = before && (again ?? []).length === 0 && !goesOn;
  // A page that was requested once more and has none of its rows is another page, perhaps one that was delivered before.
  // Without a claim, nothing would tell that rows are missing, so it is skipped only if it is known to be one.
  const other = (again ?? []).length > 0 && known.length === page.items.length;
  const strange = other && (claimed !== undefined || before);
  if (other && !strange && known.length > 0) notices.push(suspect(factory, state, otherRows));
  const rows = repeated || strange ? [] : known;
  if (repeated && claimed === undefined) return fail(sameRows, false);
  const received = receivedOf(page);
  const counted = paging.kind === 'offset';
  // A claim tells more exactly what is missing, and where the offset is the number of rows received, nothing is.
  const tells = claimed === undefined && !goesOn && !(counted && paging.step === 'received');
  if (tells && (again ?? []).length === 0) notices.push(...thinPage(factory, state, page));
  const pages = state.pages + (again === undefined ? 1 : 0);
  const items = state.items + rows.length;
  const limit = pages >= (options.maxPages ?? Infinity) ? 'maxPages' : items >= (options.maxItems ?? Infinity) ? 'maxItems' : undefined;
  const moved = (move: WalkMove): WalkStep<Query> => ({
    kind: 'next',
    state: moveWalk(factory, state, move, options),
    move,
    notices,
    rows,
  });
  const lookAgain = (): WalkStep<Query> => {
    doubt(page);
    return moved({ items: rows.length, mark: repeated ? undefined : mark, claimed, again: rows.map((row) => rowMark(id, row)) });
  };
  const short = shortness(items, claimed, looksCut(factory, page.items.length));

  if (onward.kind === 'end' || (repeated && short === undefined)) {
    // With every field that a spread copy below sets: to add one takes V8 a microsecond.
    const end: WalkStep<Query> = { kind: 'end', reason: 'complete', claimed: undefined, short: undefined, notices, rows };
    const estimate = options.rows === undefined ? unmetEstimate(factory, state, page) : undefined;
    const saysMore = (onward.kind === 'end' && onward.doubtful === true) || estimate !== undefined;
    // A counted walk that ends on a page with rows was told by the service that this is the last.
    const full = claimed === undefined && !(counted && received > 0) && endsFull(factory, withPage(state.sizes, received), items);
    if (limit === undefined && again === undefined && (short !== undefined || saysMore || full)) return lookAgain();
    if (estimate !== undefined) notices.push(suspect(factory, state, `it has no rows, though ${factory.estimates} is ${estimate}`));
    if (limit !== undefined) return end;
    if (short?.tolerable === false) doubt(page);
    return { ...end, claimed, short };
  }
  if (limit !== undefined) {
    const nextCursor = onward.kind === 'cursor' ? onward.cursor : undefined;
    const event = { type: 'truncated', operation: factory.name, query: state.query, limit, pages, items, nextCursor } as const;
    return { kind: 'end', reason: 'truncated', event, notices, rows };
  }
  if (onward.kind === 'broken') return fail(onward.message);
  const idle = repeated || (received === 0 && !goesOn);
  if (idle && (short !== undefined || claimed === undefined) && again === undefined && state.vain !== true) return lookAgain();
  if (idle && state.empty + 1 >= longestIdleRun) {
    return repeated ? fail(sameRows, false) : fail(`${state.empty + 1} empty pages in a row, and still no end`);
  }
  if (idle && claimed === undefined) notices.push(suspect(factory, state, 'it has no rows, and leads on to more pages'));
  return moved({
    cursor: onward.cursor,
    items: rows.length,
    received: received === rows.length ? undefined : received,
    empty: repeated || received === 0 || undefined,
    mark: strange ? undefined : mark, // the page to compare the next one with is the one whose rows were delivered
    claimed,
  });
}

function shortness(got: number, claimed: number | undefined, cut: boolean): Shortness | undefined {
  if (claimed === undefined || got >= claimed) return undefined;
  return { got, claimed, tolerable: !cut && claimed - got <= Math.max(3, claimed * 0.05) };
}

interface Params {
  readonly [param: string]: unknown;
}

/** The error of a walk that can't continue, created by its factory. */
export function paginationError(factory: WalkFactory, message: string, query: object, lastCursor: string | number | undefined): Error {
  const text = `${factory.name}: ${message}`;
  if (factory.paginationError !== undefined) return factory.paginationError(text, { query, lastCursor });
  return Object.assign(new Error(text), { name: 'PaginationError', operation: factory.name, query, lastCursor });
}
