import { memoizePer } from '../../kit/once.ts';
import { ownValue } from '../../kit/ownValue.ts';
import { cursorPaging, type CursorPaging } from './cursorPaging.ts';
import { lastPaging, type LastPaging } from './lastPaging.ts';
import { mergePaging, type MergePaging } from './mergePaging.ts';
import { offsetPaging, type OffsetPaging } from './offsetPaging.ts';
import { type PagingKind, usualPaging } from './PagingKind.ts';

/** One response is complete. */
export interface SinglePage {
  readonly kind: 'none';
}

/** What `expandCursor` walks, and what `offsetPages` does. */
export type TokenPaging = CursorPaging | LastPaging | MergePaging;
export type CountedPaging = OffsetPaging;

/** Only the kind of a paging. With it, the compiler's message for a wrong operation is short. */
export type WalkedBy<Kinds extends Paging> = { readonly kind: Kinds['kind'] };

/** How an operation gets to its next page, as data. */
export type Paging = TokenPaging | CountedPaging | SinglePage;

const singlePaging: PagingKind = {
  ...usualPaging,
  operator: undefined,
  by: 'in one response',
  resumes: true,
  takes: [],
  param: () => '',
  begin: (query) => ({ query, partial: false }),
  onward: () => ({ kind: 'end', told: true }),
  move: (query) => query,
};

/** The function that makes each kind of paging from its description. */
export const pagingKinds: { readonly [Kind in Paging['kind']]: (paging: Extract<Paging, { readonly kind: Kind }>) => PagingKind } = {
  none: () => singlePaging,
  cursor: cursorPaging,
  last: lastPaging,
  merge: mergePaging,
  offset: offsetPaging,
};

export const kindOf: (paging: Paging) => PagingKind = memoizePer((paging) =>
  (pagingKinds[paging.kind] as (paging: Paging) => PagingKind)(paging),
);

/** The parameters that a query lacks and that every page after the first needs. */
export function lackingParams(paging: Paging, query: object): readonly string[] {
  const needs = 'needs' in paging ? (paging.needs ?? []) : [];
  return needs.filter((param) => ownValue(query, param) === undefined);
}
