import { ownValue } from '../kit/ownValue.ts';
import type { PageLike } from '../PageLike.ts';
import { valueAt } from './valueAt.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkState } from './WalkState.ts';

/** The total number of rows: from this page, unless it is that of several queries, else from the page before, else from the caller. */
export function claimOf({ claims }: WalkedOperation, state: WalkState, page: PageLike, options: WalkOptions): number | undefined {
  if (state.partial === true || options.rows !== undefined) return undefined;
  if (page.batch === undefined && claims !== undefined && !claims.unless?.some((param) => ownValue(state.query, param) !== undefined)) {
    const value = valueAt(page.data, claims.at);
    if (Number.isSafeInteger(value)) return value as number;
  }
  return state.claimed ?? options.claimed;
}
