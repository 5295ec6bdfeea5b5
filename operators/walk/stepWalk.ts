import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { nextOffset } from './nextOffset.ts';
import { nextToken } from './nextToken.ts';
import { paginationError } from './paginationError.ts';
import { sameRows } from './sameRows.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import { walkParam } from './walkParam.ts';
import type { WalkState } from './WalkState.ts';
import type { WalkStep } from './WalkStep.ts';

const longestEmptyRun = 3;

/** Where a walk goes from a page: a cursor to go on with, the end of the walk, or why neither can be known. */
export type Onward =
  | { readonly kind: 'cursor'; readonly cursor: string | number }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly message: string };

/**
 * What follows from `page`, which answers `state.query`: another query, the end, or an error. Does nothing but
 * compute: who calls it asks for the pages, passes them on and tells the notices.
 *
 * An error is a page that brings nothing but the rows of the page before, a token that was asked for already, a token
 * that is no text, a third empty page in a row, or an end that can't be known because the list isn't there.
 */
export function stepWalk<Query extends object>(
  factory: WalkFactory,
  state: WalkState<Query>,
  page: PageLike,
  options: WalkOptions = {},
): WalkStep<Query> {
  const { paging } = factory;
  if (paging.kind === 'none') return { kind: 'end', reason: 'complete', notices: [] };
  const notices: WalkEvent[] = [];
  const param = walkParam(factory, options);
  const asked = (state.query as Params)[param] as string | number | undefined;
  const fail = (message: string, deliver = true): WalkStep<Query> => ({
    kind: 'error',
    error: paginationError(factory, message, state.query, asked),
    deliver,
    notices,
  });

  const rows = page.items;
  if (rows.length > 0 && state.last !== undefined && sameRows(rows, state.last)) {
    return fail('this page brings the rows of the page before again, so the walk would not end', false);
  }
  const onward =
    paging.kind === 'cursor' ? nextToken(factory, state, page, options, notices) : nextOffset(factory, state, page, options, notices);
  if (onward.kind === 'end') return { kind: 'end', reason: 'complete', notices };

  const pages = state.pages + 1;
  const items = state.items + rows.length;
  const limit = pages >= (options.maxPages ?? Infinity) ? 'maxPages' : items >= (options.maxItems ?? Infinity) ? 'maxItems' : undefined;
  if (limit !== undefined) {
    const nextCursor = onward.kind === 'cursor' ? onward.cursor : undefined;
    const event = { type: 'truncated', operation: factory.name, query: state.query, limit, pages, items, nextCursor } as const;
    return { kind: 'end', reason: 'truncated', event, notices };
  }
  if (onward.kind === 'broken') return fail(onward.message);

  const empty = rows.length === 0 ? state.empty + 1 : 0;
  if (empty >= longestEmptyRun) return fail(`${empty} empty pages in a row, and still no end`);
  if (typeof onward.cursor === 'string') state.seen.add(onward.cursor);
  const query = { ...state.query, [param]: onward.cursor };
  if (paging.kind === 'cursor' && paging.previous !== undefined) {
    // The other way's token would contradict this one.
    delete (query as { [param: string]: unknown })[param === paging.param ? paging.previous.param : paging.param];
  }
  return { kind: 'next', state: { query, pages, items, empty, seen: state.seen, last: rows.length > 0 ? rows : state.last }, notices };
}

interface Params {
  readonly [param: string]: unknown;
}
