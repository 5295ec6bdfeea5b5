import { oneOf } from '../../options/kinds.ts';
import { declareFields } from '../../options/OptionSet.ts';
import type { PagingKind } from './PagingKind.ts';

/** One response is complete. */
export interface SinglePage {
  readonly kind: 'none';
}

export const singlePaging: PagingKind<SinglePage> = {
  fields: declareFields<SinglePage>()({ kind: oneOf('none').needed() }),
  operator: undefined,
  by: 'in one response',
  endsEmpty: true,
  leads: false,
  text: () => '',
  takes: () => [],
  params: () => [],
  param: () => '',
  pageSize: () => undefined,
  tokenAt: () => [],
  address: () => undefined,
  fromHeader: () => false,
  sent: () => undefined,
  resumes: () => true,
  begin: (_, query) => ({ query, partial: false }),
  onward: () => ({ kind: 'end', told: true }),
  move: (_, query) => query,
  ahead: () => undefined,
};
