import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { claimOf } from './claimOf.ts';
import { doubt } from './doubt.ts';
import { fingerprint, fingerprintOf } from './fingerprint.ts';
import { looksCut } from './looksCut.ts';
import { moveWalk } from './moveWalk.ts';
import { nextOffset } from './nextOffset.ts';
import { nextToken } from './nextToken.ts';
import { paginationError } from './paginationError.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import { walkParam } from './walkParam.ts';
import type { WalkMove, WalkState } from './WalkState.ts';
import type { Shortness, WalkStep } from './WalkStep.ts';

const longestIdleRun = 3;
const sameRows = 'this page brings the rows of the page before again, so the walk would not end';

/**
 * What follows from `page`, the response to `state.query`: another query, the end, or an error. It does no I/O: the
 * caller requests the pages, emits the rows and reports the notices. A page that can't be right is marked (`doubt`), so
 * that a store doesn't keep it.
 *
 * While rows are missing that the service claims, a page that would end the walk, is empty, or repeats the rows of the
 * page before is requested once more, and so is an empty page that lists further ones. This happens once per walk, and
 * usually recovers a lost token or a bad page. If the page is still empty or repeated, the walk follows its token.
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
  const known = again === undefined ? page.items : page.items.filter((row) => !again.includes(fingerprint(row)));
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
  const repeated = mark !== undefined && mark === state.mark && (again ?? []).length === 0 && !goesOn;
  // A page that was requested once more and has none of its rows is another page, perhaps one that was delivered before.
  const strange = claimed !== undefined && (again ?? []).length > 0 && known.length === page.items.length;
  const rows = repeated || strange ? [] : known;
  if (repeated && claimed === undefined) return fail(sameRows, false);
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
    return moved({ items: rows.length, mark: repeated ? undefined : mark, claimed, again: rows.map(fingerprint) });
  };
  const short = shortness(items, claimed, looksCut(factory, page.items.length));

  if (onward.kind === 'end' || (repeated && short === undefined)) {
    const end: WalkStep<Query> = { kind: 'end', reason: 'complete', notices, rows };
    if (limit !== undefined) return end;
    const saysMore = onward.kind === 'end' && onward.doubtful === true;
    const doubtful = short !== undefined || saysMore || (claimed === undefined && isFull(factory, page));
    if (doubtful && state.looked !== true) return lookAgain();
    if (short?.tolerable === false) doubt(page);
    return { ...end, claimed, short };
  }
  if (limit !== undefined) {
    const nextCursor = onward.kind === 'cursor' ? onward.cursor : undefined;
    const event = { type: 'truncated', operation: factory.name, query: state.query, limit, pages, items, nextCursor } as const;
    return { kind: 'end', reason: 'truncated', event, notices, rows };
  }
  if (onward.kind === 'broken') return fail(onward.message);
  const empty = (page.received ?? page.items.length) === 0;
  const idle = repeated || (empty && !goesOn);
  if (idle && short !== undefined && state.looked !== true) return lookAgain();
  if (idle && state.empty + 1 >= longestIdleRun) {
    return repeated ? fail(sameRows, false) : fail(`${state.empty + 1} empty pages in a row, and still no end`);
  }
  return moved({ cursor: onward.cursor, items: rows.length, empty: repeated || empty || undefined, mark, claimed });
}

function shortness(got: number, claimed: number | undefined, cut: boolean): Shortness | undefined {
  if (claimed === undefined || got >= claimed) return undefined;
  return { got, claimed, tolerable: !cut && claimed - got <= Math.max(3, claimed * 0.05) };
}

/** Whether a page without a token is full. */
function isFull({ paging }: WalkFactory, page: PageLike): boolean {
  return paging.kind === 'cursor' && paging.size !== undefined && (page.received ?? page.items.length) >= paging.size;
}

interface Params {
  readonly [param: string]: unknown;
}
