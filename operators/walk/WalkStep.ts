import type { WalkEvent } from '../PageFactory.ts';
import type { WalkMove, WalkState } from './WalkState.ts';

/** What follows from a page. Whatever it is, `notices` are to be told, and `rows` are the rows to pass on. */
export type WalkStep<Query extends object = object> = (
  | { readonly kind: 'next'; readonly state: WalkState<Query>; readonly move: WalkMove }
  /** `claimed`: how many rows there are, as the service says; `short`: fewer came. */
  | { readonly kind: 'end'; readonly reason: 'complete'; readonly claimed?: number | undefined; readonly short?: Shortness | undefined }
  /** A limit ended the walk early; `event` says so and is to be told too. */
  | { readonly kind: 'end'; readonly reason: 'truncated'; readonly event: Extract<WalkEvent, { readonly type: 'truncated' }> }
  /** `deliver: false`: the page has nothing that wasn't there before, so it isn't to be passed on. */
  | { readonly kind: 'error'; readonly error: Error; readonly deliver: boolean }
) & { readonly notices: readonly WalkEvent[]; readonly rows: readonly unknown[] };

export interface Shortness {
  readonly got: number;
  readonly claimed: number;
  /** So little that the claim may be wrong: at most 5 % or 3 rows. */
  readonly tolerable: boolean;
}

/** Where a walk goes from a page: a cursor to go on with, the end of the walk, or why neither can be known. */
export type Onward =
  | { readonly kind: 'cursor'; readonly cursor: string | number }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly message: string };
