import { ownValue } from '../../kit/ownValue.ts';
import { cursorPaging, type CursorPaging } from './cursorPaging.ts';
import { lastPaging, type LastPaging } from './lastPaging.ts';
import { mergePaging, type MergePaging } from './mergePaging.ts';
import { offsetPaging, type OffsetPaging } from './offsetPaging.ts';
import type { PagingKind } from './PagingKind.ts';
import { singlePaging, type SinglePage } from './singlePaging.ts';

/** What `expandCursor` walks, and what `offsetPages` does. */
export type TokenPaging = CursorPaging | LastPaging | MergePaging;
export type CountedPaging = OffsetPaging;

/** A walk looks at the kind only, so that the compiler's message for another is short. */
export type WalkedBy<Kinds extends Paging> = { readonly kind: Kinds['kind'] };

/** How an operation gets to its next page, as data. */
export type Paging = TokenPaging | CountedPaging | SinglePage;

/** What each kind of paging says of itself. Whoever needs to know something of paging reads it here. */
export const pagingKinds: { readonly [Kind in Paging['kind']]: PagingKind<Extract<Paging, { readonly kind: Kind }>> } = {
  none: singlePaging,
  cursor: cursorPaging,
  last: lastPaging,
  merge: mergePaging,
  offset: offsetPaging,
};

/** What others call a way of paging, and what it is here. */
export const pagingMeant: { readonly [word: string]: string } = {
  page: "'offset' with step: 1, and first: 1 if pages are counted from 1",
  number: "'offset' with step: 1",
  skip: "'offset' with the number of rows of a page as its step",
  token: "'cursor'",
  scroll: "'cursor' with repeats: true",
  link: "'cursor' with address: true, and link: true for a Link header",
  url: "'cursor' with address: true",
  keyset: "'last'",
};

/** What the kind of this paging says. */
export function kindOf({ kind }: Paging): PagingKind<Paging> {
  return pagingKinds[kind];
}

/** The parameters that a query lacks, and without which no page after the first can be requested. */
export function lackingParams(paging: Paging, query: object): readonly string[] {
  return kindOf(paging)
    .needs(paging)
    .filter((param) => ownValue(query, param) === undefined);
}
