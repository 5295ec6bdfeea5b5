import type { PageLike, Token } from '../../PageLike.ts';

/** Options of a walk that only some kinds of paging have. */
export interface PagingOptions {
  /** The token to start from, unless pages are counted. @default the query's own, else none */
  readonly startCursor?: Token | undefined;
  /** Pages to skip at the start; counted pages only. @default 0 */
  readonly startPage?: number | undefined;
  /** Where the token is: a dotted path in `data`, or a function of the page. @default where the operation says */
  readonly cursorAt?: string | ((page: PageLike) => unknown) | undefined;
}

/** Where a walk begins. */
export interface WalkStart<Query> {
  readonly query: Query;
  /** It begins in the middle, so its row count can't be compared with a claimed total. */
  readonly partial: boolean;
  /** The token that the query has already. */
  readonly token?: Token | undefined;
}

/**
 * Where a walk goes after a page. `on`: to the next page. `stays`: the same, but the token is that of this page, so the walk goes on only
 * as long as new rows come. `lost`: neither the next page nor the end is known.
 */
export type Onward =
  | { readonly kind: 'on'; readonly cursor: Token }
  | { readonly kind: 'stays'; readonly cursor: Token }
  /** `doubtful`: the page itself says that there are more. `told`: it says that it is the last. */
  | { readonly kind: 'end'; readonly doubtful?: boolean; readonly told?: boolean }
  | { readonly kind: 'lost'; readonly message: string };

/** A page that has come, and the walk that it belongs to. */
export interface WalkedPage {
  readonly operation: {
    readonly listUndocumented?: true | undefined;
    readonly params?: { readonly [name: string]: { readonly type: string } } | undefined;
  };
  /** The query of the page, the rows before it, and the tokens so far. */
  readonly state: { readonly query: object; readonly items: number; readonly seen?: ReadonlySet<string> | undefined };
  readonly page: PageLike;
  /** Rows of the page that the page before had. @default 0 */
  readonly seenBefore?: number;
  readonly options: PagingOptions & { readonly rows?: string | undefined };
}

/** How a walk moves from page to page. README.md says how to add a kind. */
export interface PagingKind {
  /** The operator that walks it. `expandCursor`: the page itself leads on. undefined: a response is all there is. */
  readonly operator: 'expandCursor' | 'offsetPages' | undefined;
  /** How pages are found, in words that follow `has pages`, for errors. */
  readonly by: string;
  /** A walk can end with an empty page. Otherwise an empty page at the end looks like one in the middle. */
  readonly endsEmpty: boolean;
  /** A page may bring rows of the page before again, with more fields. */
  readonly comesBack: boolean;
  /** The number of rows so far says where the walk ends. */
  readonly countsRows: boolean;
  /** The next page begins after the last row that came, so that a page with fewer rows loses none. */
  readonly resumes: boolean;
  /** The token stays the same and the service counts its pages. Only the process that requested the last page knows which one is next. */
  readonly tokenRepeats: boolean;
  /** Rows of a full page, if that is known. */
  readonly pageSize: number | undefined;
  /** The options of a walk that it has. */
  readonly takes: readonly (keyof PagingOptions)[];
  /** The parameter that this walk sets. Empty for none. */
  param(options: PagingOptions): string;
  /** The query of the first page. `name`: the operation's, for errors. */
  begin<Query extends object>(query: Query, options: PagingOptions, name: string): WalkStart<Query>;
  onward(walked: WalkedPage): Onward;
  /** The query of the next page, whose token or number is `cursor`. */
  move<Query extends object>(query: Query, cursor: Token, options: PagingOptions): Query;
  /** The query of a later page. undefined: it isn't known before the pages in between have come. */
  ahead<Query extends object>(query: Query, pages: number): Query | undefined;
}

/** What most kinds of paging share. */
export const usualPaging = {
  endsEmpty: true,
  comesBack: false,
  countsRows: false,
  resumes: false,
  tokenRepeats: false,
  pageSize: undefined,
  ahead: () => undefined,
} as const;
