import { memoizePer } from '../../operators/kit/once.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { type Alone, pageCount, tokensOf } from '../../operators/walk/paging/cursorPaging.ts';
import { membersOf, nextMembers } from '../../operators/walk/paging/mergePaging.ts';
import { pageNumberOf } from '../../operators/walk/paging/offsetPaging.ts';
import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';

/** How paging makes a request differ from its query, and where a response has what leads on. */
export interface PagingRequest {
  /** The parameters that a walk sets. The first one says where it is. */
  readonly params: readonly string[];
  /** What only a walk writes into a query: it is no parameter of the operation. */
  readonly writes: readonly string[];
  /** Where in `data` the next page's token may be. */
  readonly tokenAt: readonly string[];
  /** The parameter that takes the address of a page. The request goes there. */
  readonly address: string | undefined;
  /** The header of a response that leads on, in small letters: `link` has addresses, any other the token itself. */
  readonly fromHeader: string | undefined;
  /** Where in the whole body the parameters of the next page are. They become the page's `next`. */
  readonly fromBody: string | undefined;
  /** Whether requests may have other parameters than their query: see `sent` and `members`. Where tokens may stand alone they may. */
  readonly sendsOthers: boolean;
  /** The parameters that the request of this query has besides those of the path. undefined: all that the query has. */
  sent(query: object): readonly string[] | undefined;
  /** Whether this query has a token of a page. */
  isLater(query: object): boolean;
  /** What of a query is sent as parameters of their own, declared or not. */
  members(query: object): object | undefined;
}

const usual: PagingRequest = {
  params: [],
  writes: [],
  tokenAt: [],
  address: undefined,
  fromHeader: undefined,
  fromBody: undefined,
  sendsOthers: false,
  sent: () => undefined,
  isLater: () => false,
  members: () => undefined,
};

/** In what each kind of paging differs. */
const requests: { readonly [Kind in Paging['kind']]: (paging: Extract<Paging, { readonly kind: Kind }>) => Partial<PagingRequest> } = {
  none: () => ({}),
  cursor: (paging) => ({
    params: [paging.param],
    writes: [paging.param, pageCount],
    tokenAt: paging.at,
    address: paging.address === true ? paging.param : undefined,
    fromHeader: paging.link === true ? 'link' : paging.header?.toLowerCase(),
    sent: (query) => besides(paging.alone, tokensOf(paging, query)),
    isLater: (query) => tokensOf(paging, query).length > 0,
  }),
  last: ({ param, alone }) => ({
    params: [param],
    writes: [param],
    sent: (query) => besides(alone, ownValue(query, param) === undefined ? [] : [param]),
  }),
  merge: ({ at, alone }) => ({
    writes: [nextMembers],
    fromBody: at,
    sendsOthers: true,
    sent: (query) => besides(alone, Object.keys(membersOf(query) ?? {})),
    members: membersOf,
  }),
  offset: (paging) => ({
    params: [paging.param],
    writes: [paging.param],
    sent: (query) =>
      pageNumberOf(paging, query) === (paging.first ?? 0)
        ? undefined
        : besides(paging.alone, [paging.param, ...Object.keys(paging.fixed ?? {})]),
  }),
};

/** The parameters of a request with these tokens, if they stand alone. undefined: all that the query has. */
function besides(alone: Alone | undefined, tokens: readonly string[]): readonly string[] | undefined {
  if (alone === undefined || tokens.length === 0) return undefined;
  return alone === true ? tokens : [...tokens, ...alone];
}

/** How requests of this paging are made. */
export const pagingRequestOf: (paging: Paging) => PagingRequest = memoizePer((paging) => {
  const own = (requests[paging.kind] as (paging: Paging) => Partial<PagingRequest>)(paging);
  const sendsOthers = 'alone' in paging && paging.alone !== undefined;
  return { ...usual, sendsOthers, ...own };
});
