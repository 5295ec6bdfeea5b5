import type { PageLike } from '../PageLike.ts';
import { receivedOf } from './receivedOf.ts';
import { valueAt } from './valueAt.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkState } from './WalkState.ts';

/** The estimated number of rows, if a walk's first page has none although the estimate says that there are some. */
export function unmetEstimate({ estimates }: WalkedOperation, { sizes, partial }: WalkState, page: PageLike): number | undefined {
  if (estimates === undefined || sizes !== undefined || partial === true || receivedOf(page) > 0) return undefined;
  const value = valueAt(page.data, estimates);
  return typeof value === 'number' && value > 0 ? value : undefined;
}
