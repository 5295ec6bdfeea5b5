import { textOfValue } from '../kit/canonicalJson.ts';
import { kindOf } from './paging/pagingKinds.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkOptions } from './WalkOptions.ts';
import { withPage, type WalkMove, type WalkState, type WholeState } from './WalkState.ts';

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
    seen: cursor !== undefined && kind.operator === 'expandCursor' ? (state.seen ?? new Set()).add(textOfValue(cursor)) : state.seen,
    marks: marksWith(state.marks, move.mark),
    had: move.had ?? state.had,
    again: move.again === undefined ? state.again : (state.again ?? 0) + move.again,
    partial: state.partial,
    claimed: move.claimed ?? state.claimed,
    recheck: move.recheck,
    gap: move.empty === true && state.gap !== 'confirmed' ? (state.recheck === undefined ? 'trusted' : 'confirmed') : state.gap,
    batch: move.batch ?? state.batch,
    sizes: cursor === undefined ? state.sizes : withPage(state.sizes, move.received ?? move.items),
  } satisfies WholeState<Query>;
}

/** The first mark, the one before the last, and the last. */
function marksWith(marks: readonly number[] | undefined, mark: number | undefined): readonly number[] | undefined {
  if (mark === undefined || marks === undefined) return mark === undefined ? marks : [mark];
  const last = marks.at(-1)!;
  return mark === last ? marks : [marks[0]!, last, mark];
}
