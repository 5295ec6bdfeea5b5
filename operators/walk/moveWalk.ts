import { withPage, type WalkMove, type WalkState } from './WalkState.ts';
import type { WalkFactory } from './WalkFactory.ts';
import { type WalkOptions, walkParam } from './WalkOptions.ts';

/**
 * The state of a walk after a move. A live walk and a walk replayed from a journal both use this function, so they
 * reach the same state.
 */
export function moveWalk<Query extends object>(
  factory: WalkFactory,
  state: WalkState<Query>,
  move: WalkMove,
  options: WalkOptions = {},
): WalkState<Query> {
  const { paging } = factory;
  const { cursor } = move;
  const seen = typeof cursor === 'string' ? (state.seen ?? new Set()).add(cursor) : state.seen;
  let { query } = state;
  if (cursor !== undefined) {
    const param = walkParam(factory, options);
    // A spread copy takes ten times as long to add a field, but Object.assign loses a field named __proto__.
    const assigns = param !== '__proto__' && !Object.hasOwn(query, '__proto__');
    query = assigns ? Object.assign({}, query, { [param]: cursor }) : { ...query, [param]: cursor };
    if (paging.kind === 'cursor' && paging.previous !== undefined) {
      // The token of the opposite direction would contradict this one.
      delete (query as { [param: string]: unknown })[param === paging.param ? paging.previous.param : paging.param];
    }
  }
  return {
    query,
    pages: state.pages + (state.again === undefined ? 1 : 0),
    items: state.items + move.items,
    empty: move.empty === true ? state.empty + 1 : 0,
    seen,
    mark: move.mark ?? state.mark,
    before: move.mark === undefined || move.mark === state.mark ? state.before : state.mark,
    partial: state.partial,
    claimed: move.claimed ?? state.claimed,
    again: move.again,
    vain: state.again !== undefined && move.empty === true ? true : state.vain,
    sizes: cursor === undefined ? state.sizes : withPage(state.sizes, move.received ?? move.items),
  };
}
