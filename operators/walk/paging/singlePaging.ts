import { oneOf } from '../../options/kinds.ts';
import { declareFields } from '../../options/OptionSet.ts';
import type { Alone } from './follow.ts';
import type { PagingKind } from './PagingKind.ts';

/** One response is complete. */
export interface SinglePage {
  readonly kind: 'none';
}

/** Nothing to know of. The other kinds say in what they differ. */
export const singlePaging: PagingKind<unknown> = {
  fields: declareFields<SinglePage>()({ kind: oneOf('none').needed() }),
  operator: undefined,
  by: 'in one response',
  endsEmpty: true,
  leads: false,
  comesBack: false,
  text: () => '',
  needs: () => [],
  takes: () => [],
  params: () => [],
  param: () => '',
  writes: () => [],
  pageSize: () => undefined,
  tokenAt: () => [],
  address: () => undefined,
  tokenInRow: () => [],
  fromHeader: () => undefined,
  fromBody: () => undefined,
  sendsOthers: (paging) => (paging as { readonly alone?: Alone }).alone !== undefined,
  sent: () => undefined,
  path: () => undefined,
  members: () => undefined,
  resumes: () => true,
  isCounted: () => false,
  mayCount: () => false,
  countsRows: () => false,
  begin: (_, query) => ({ query, partial: false }),
  onward: () => ({ kind: 'end', told: true }),
  rowAt: () => undefined,
  counts: () => ({}),
  move: (_, query) => query,
  ahead: () => undefined,
};
