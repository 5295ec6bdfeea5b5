import { ownValue } from '../kit/ownValue.ts';
import type { WalkFactory } from './WalkFactory.ts';
import { type WalkOptions, walkParam } from './WalkOptions.ts';
import type { WalkState } from './WalkState.ts';

/**
 * The first state of a walk. A query that already has a token or a page starts there. `startCursor` and `startPage`
 * take precedence over it.
 */
export function startWalk<Query extends object>(factory: WalkFactory, query: Query, options: WalkOptions = {}): WalkState<Query> {
  const { paging } = factory;
  let seen: Set<string> | undefined;
  let first: Query = query;
  let partial = false;
  if (paging.kind === 'cursor') {
    const param = walkParam(factory, options);
    if (options.startCursor !== undefined) first = { ...query, [param]: options.startCursor };
    const token = ownValue(first, param);
    partial = token !== undefined && token !== '';
    if (typeof token === 'string' && partial) seen = new Set([token]);
  } else if (paging.kind === 'offset') {
    if (paging.fixed !== undefined) first = { ...first, ...paging.fixed };
    if (options.startPage !== undefined && options.startPage > 0 && paging.step !== 'received') {
      first = { ...first, [paging.param]: (paging.first ?? 0) + options.startPage * paging.step };
    }
    const offset = ownValue(first, paging.param) ?? paging.first ?? 0;
    if (!Number.isSafeInteger(offset) || (offset as number) < 0) {
      throw new RangeError(
        `${factory.name}: ${paging.param} must be a whole number from 0 on to count from, not ${JSON.stringify(offset)}`,
      );
    }
    partial = offset !== (paging.first ?? 0);
  }
  return { query: first, pages: 0, items: 0, empty: 0, seen, partial: partial || undefined };
}
