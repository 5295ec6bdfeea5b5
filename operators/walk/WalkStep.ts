import type { WalkEvent } from '../PageFactory.ts';
import type { WalkState } from './WalkState.ts';

/** What follows from a page. Whatever it is, `notices` are to be told. */
export type WalkStep<Query extends object = object> = (
  | { readonly kind: 'next'; readonly state: WalkState<Query> }
  | { readonly kind: 'end'; readonly reason: 'complete' }
  /** A limit cut the walk short; `event` says so and is to be told too. */
  | { readonly kind: 'end'; readonly reason: 'truncated'; readonly event: Truncated }
  /** `deliver: false`: the page brings nothing that wasn't there before, so it isn't to be passed on. */
  | { readonly kind: 'error'; readonly error: Error; readonly deliver: boolean }
) & { readonly notices: readonly WalkEvent[] };

type Truncated = Extract<WalkEvent, { readonly type: 'truncated' }>;
