import type { OptionSet } from '../../options/OptionSet.ts';
import type { PageLike, WalkEvent } from '../../PageLike.ts';
import type { WalkOptions } from '../WalkOptions.ts';
import type { WalkState } from '../WalkState.ts';
import type { Token } from './Token.ts';

/** Options of a walk that only some kinds of paging have. */
export type PagingOption = 'startCursor' | 'startPage' | 'direction' | 'cursorAt';

/** Where a walk begins. */
export interface WalkStart<Query> {
  readonly query: Query;
  /** It begins in the middle, so its row count can't be compared with a claimed total. */
  readonly partial: boolean;
  /** The token that the query has already. */
  readonly token?: Token | undefined;
}

/**
 * Where a walk goes after a page: to the next one, to its end, or nowhere, because neither can be known. `stays`: the token is that of
 * this very page, so it leads on only as long as rows come that are new.
 */
export type Onward =
  | { readonly kind: 'on'; readonly cursor: Token }
  /** `expected`: the service is known to do so. */
  | { readonly kind: 'stays'; readonly cursor: Token; readonly expected: boolean }
  /** `doubtful`: the page says itself that there are more. `told`: it says that it is the last. */
  | { readonly kind: 'end'; readonly doubtful?: boolean; readonly told?: boolean }
  | { readonly kind: 'lost'; readonly message: string };

/** A page that has come, and the walk that it belongs to. */
export interface WalkedPage {
  readonly operation: {
    readonly name: string;
    readonly listUndocumented?: true | undefined;
    readonly params?: { readonly [name: string]: { readonly type: string } } | undefined;
  };
  readonly state: WalkState;
  readonly page: PageLike;
  /** Rows of the page that the page before had. @default 0 */
  readonly again?: number;
  readonly options: WalkOptions;
  /** Takes what the page is to be reported for. */
  readonly notices: WalkEvent[];
}

/** How much there is of a query, where a service is imitated. */
interface Counted {
  readonly rows: number;
  readonly pages: number;
  readonly page: number;
}

/** All that there is to know of one way of paging. A new way is a file like `cursorPaging.ts`, and a line in `pagingKinds.ts`. */
export interface PagingKind<Paging> {
  /** Its description: what each field takes. */
  readonly fields: OptionSet;
  /** The operator that walks it. undefined: a response is all there is. */
  readonly operator: 'expandCursor' | 'offsetPages' | undefined;
  /** How pages are found, for errors: `has pages …`. */
  readonly by: string;
  /** A walk can end with an empty page. Otherwise an empty page at the end looks like one in the middle. */
  readonly endsEmpty: boolean;
  /** The page itself leads on, so a walk follows it also where its rows are in a list that isn't documented. */
  readonly leads: boolean;
  /** A page may bring the rows of the one before again, with more in them. */
  readonly comesBack: boolean;
  /** How to get the next page, in words, for help and reference. Empty if there is none. */
  text(paging: Paging): string;
  /** The parameters without which a page after the first can't be requested. */
  needs(paging: Paging): readonly string[];
  /** The options of a walk that it has. */
  takes(paging: Paging): readonly PagingOption[];
  /** The parameters that a walk sets. The first one says where it is. */
  params(paging: Paging): readonly string[];
  /** The parameter that this walk sets. Empty for none. */
  param(paging: Paging, options: WalkOptions): string;
  /** What only a walk writes into a query: it is no parameter of the operation. */
  writes(paging: Paging): readonly string[];
  /** Rows of a full page, if that is known. */
  pageSize(paging: Paging): number | undefined;
  /** Where in `data` the next page's token may be. */
  tokenAt(paging: Paging): readonly string[];
  /** The parameter that takes the address of a page. The request goes there. */
  address(paging: Paging): string | undefined;
  /** Where in the last row the next page's token is. */
  tokenInRow(paging: Paging): readonly string[];
  /** The header of a response that leads on, in small letters: `link` has addresses, any other the token itself. */
  fromHeader(paging: Paging): string | undefined;
  /** Where in the whole body the parameters of the next page are. They become the page's `next`. */
  fromBody(paging: Paging): string | undefined;
  /** Whether the number of rows so far says where the walk ends. */
  countsRows(paging: Paging): boolean;
  /** Whether the next page begins after the last row that came, so that a page with fewer rows loses none. */
  resumes(paging: Paging): boolean;
  /** Whether requests may have other parameters than their query: see the next two. Where tokens may stand alone they may. */
  sendsOthers(paging: Paging): boolean;
  /** The parameters that the request of this query has besides those of the path. undefined: all that the query has. */
  sent(paging: Paging, query: object): readonly string[] | undefined;
  /** The path of this query's request, if it isn't the operation's own. */
  path(paging: Paging, query: object): string | undefined;
  /** What of a query is sent as parameters of their own, declared or not. */
  members(paging: Paging, query: object): object | undefined;
  /** Whether the service itself counts the pages of this query's token: a process that takes up the walk can't tell which comes next. */
  isCounted(paging: Paging, query: object): boolean;
  /** Whether the service may count the pages of a token although nothing says so. */
  mayCount(paging: Paging): boolean;
  begin<Query extends object>(paging: Paging, query: Query, options: WalkOptions, name: string): WalkStart<Query>;
  /** What follows from a page. */
  onward(paging: Paging, walked: WalkedPage): Onward;
  /** The first row of this query's page, in a service whose pages have so many rows. undefined: its number doesn't say. */
  rowAt(paging: Paging, query: object, size: number): number | undefined;
  /** What a page with this number, counted from 0, says of its query, by path in its data. */
  counts(paging: Paging, query: Counted): { readonly [path: string]: unknown };
  /** The query of the next page, whose token or number is `cursor`. */
  move<Query extends object>(paging: Paging, query: Query, cursor: Token, options: WalkOptions): Query;
  /** The query so many pages ahead. undefined: it isn't known before the pages between are here. */
  ahead<Query extends object>(paging: Paging, query: Query, pages: number): Query | undefined;
}
