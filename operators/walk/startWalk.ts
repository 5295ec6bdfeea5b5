import { textOfValue } from '../kit/canonicalJson.ts';
import { kindOf } from './paging/pagingKinds.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkState, WholeState } from './WalkState.ts';

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
    seen,
    marks: undefined,
    had: undefined,
    again: undefined,
    partial: partial || undefined,
    claimed: undefined,
    recheck: undefined,
    gap: undefined,
    batch: undefined,
    sizes: undefined,
  } satisfies WholeState<Query>;
}
