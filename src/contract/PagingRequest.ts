import { memoizePer } from '../../operators/kit/once.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { type Alone, pageCount, tokensOf } from '../../operators/walk/paging/cursorPaging.ts';
import { membersOf, nextMembers } from '../../operators/walk/paging/mergePaging.ts';
import { pageNumberOf } from '../../operators/walk/paging/offsetPaging.ts';
import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
import type { OperationSpec } from './Operation.ts';
import { headerIn } from './pagingOf.ts';

/** What the paging of an operation means for its requests, and where a response has the way to the next page. */
export interface PagingRequest {
  /** The parameters that a walk sets. The first one says which page it is. */
  readonly params: readonly string[];
  /** Fields that a walk writes into the query of a later page. They needn't be parameters of the operation. */
  readonly writes: readonly string[];
  /** Where in `data` the next page's token may be. */
  readonly tokenAt: readonly string[];
  /** The parameter whose value is the whole address of a page. The request goes to that address. */
  readonly address: string | undefined;
  /** Where the whole body has an object with the parameters of the next page. It becomes the page's `next`. */
  readonly fromBody: string | undefined;
  /** Whether a request may have other parameters than its query: see `sent` and `members`. */
  readonly sendsOthers: boolean;
  /** The parameters that the request of this query has, besides those of the path. undefined: all of the query. */
  sent(query: object): readonly string[] | undefined;
  /** Whether the query is for a later page: it has a token. */
  isLater(query: object): boolean;
  /** The parameters for the next page that came in a body. They are sent with the query, declared or not. */
  members(query: object): object | undefined;
}

const usual: PagingRequest = {
  params: [],
  writes: [],
  tokenAt: [],
  address: undefined,
  fromBody: undefined,
  sendsOthers: false,
  sent: () => undefined,
  isLater: () => false,
  members: () => undefined,
};

/** How each kind of paging differs from `usual`. */
const requests: { readonly [Kind in Paging['kind']]: (paging: Extract<Paging, { readonly kind: Kind }>) => Partial<PagingRequest> } = {
  none: () => ({}),
  cursor: (paging) => ({
    params: [paging.param],
    writes: [paging.param, pageCount],
    tokenAt: paging.at,
    address: paging.address === true ? paging.param : undefined,
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

/** The parameters of a request with these tokens, if `alone` says that it has few. undefined: all of the query. */
function besides(alone: Alone | undefined, tokens: readonly string[]): readonly string[] | undefined {
  if (alone === undefined || tokens.length === 0) return undefined;
  return alone === true ? tokens : [...tokens, ...alone];
}

export const pagingRequestOf: (paging: Paging) => PagingRequest = memoizePer((paging) => {
  const own = (requests[paging.kind] as (paging: Paging) => Partial<PagingRequest>)(paging);
  const sendsOthers = 'alone' in paging && paging.alone !== undefined;
  return { ...usual, sendsOthers, ...own };
});

/** What headers of a response say about its page. Their names are in small letters. */
export interface PageHeaders {
  /** The header with the next page: `link` has its address, any other its token. */
  readonly next: string | undefined;
  /** Headers with the number of rows or pages, and where the operation looks for it: `header:x-total-count`. */
  readonly counts: readonly (readonly [at: string, header: string])[];
}

/** undefined: headers say nothing. */
export const pageHeadersOf: (spec: Pick<OperationSpec, 'paging' | 'claims'>) => PageHeaders | undefined = memoizePer(
  ({ paging, claims }) => {
    const next = paging.kind !== 'cursor' ? undefined : paging.link === true ? 'link' : paging.header?.toLowerCase();
    const places = new Set([claims?.at, ...(paging.kind === 'offset' ? [paging.total, paging.pages] : [])]);
    const counts = [...places].flatMap((at) => {
      const header = headerIn(at ?? '');
      return header === undefined ? [] : [[at!, header] as const];
    });
    return next === undefined && counts.length === 0 ? undefined : { next, counts };
  },
);
