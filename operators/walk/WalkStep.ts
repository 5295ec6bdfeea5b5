import type { PageFactory } from '../PageFactory.ts';
import type { PageLike, Token, WalkEvent } from '../PageLike.ts';
import type { RecheckResult } from './RecheckPolicy.ts';
import type { WalkMove } from './WalkState.ts';

/** What follows from a page. In every case, report `notices` and emit `rows`. */
export type WalkStep = (
  | { readonly kind: 'next'; readonly move: WalkMove }
  /** `claimed`: the total the service claims. `short`: fewer rows came. */
  | { readonly kind: 'end'; readonly reason: 'complete'; readonly claimed?: number | undefined; readonly short?: Shortness | undefined }
  /** A limit ended the walk early. `event` says so and must be reported too. */
  | { readonly kind: 'end'; readonly reason: 'capped'; readonly event: Extract<WalkEvent, { readonly type: 'capped' }> }
  /** `deliver: false`: the page has no rows that are new, so it isn't emitted. */
  | { readonly kind: 'error'; readonly fault: WalkFault; readonly deliver: boolean; readonly claimed?: number | undefined }
) & {
  readonly notices: readonly WalkEvent[];
  readonly rows: readonly unknown[];
  /** Different rows of the walk so far. */
  readonly got: number;
  /** What the page tells of rechecks, for `RecheckPolicy`. */
  readonly rechecked?: RecheckResult | undefined;
};

/** Why a walk can't continue. */
export interface WalkFault {
  /** Names the operation. */
  readonly message: string;
  readonly query: object;
  /** The last good cursor. */
  readonly lastCursor: Token | undefined;
}

export interface Shortness {
  readonly got: number;
  readonly claimed: number;
  /** So few rows are missing that the claim may be wrong: at most 5 % or 3 rows, and the last page isn't full. */
  readonly tolerable: boolean;
}

/** The error of a walk that can't continue, created by its factory. */
export function pageError(
  factory: Pick<PageFactory<never, PageLike>, 'name' | 'paginationError'>,
  { message, ...details }: WalkFault,
): Error {
  if (factory.paginationError !== undefined) return factory.paginationError(message, details);
  return Object.assign(new Error(message), { name: 'PaginationError', operation: factory.name, ...details });
}
