import type { WalkEvent } from '../PageLike.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkState } from './WalkState.ts';

/** The report of a page that seems to lack rows. */
export function suspect({ name }: Pick<WalkedOperation, 'name'>, { query }: WalkState, message: string): WalkEvent {
  return { type: 'suspect', operation: name, query, message };
}
