import type { PageLike, Token } from '../../PageLike.ts';

/** Options of a walk that only some kinds of paging have. */
export interface PagingOptions {
  /** The token to start from; not where pages are counted. @default the query's own, else none */
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
 * Where a walk goes after a page: to the next one, to its end, or nowhere, because neither can be known. `stays`: the token is that of
 * this very page, so it leads on only as long as rows come that are new.
 */
export type Onward =
  | { readonly kind: 'on'; readonly cursor: Token }
  | { readonly kind: 'stays'; readonly cursor: Token }
  /** `doubtful`: the page says itself that there are more. `told`: it says that it is the last. */
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
  readonly again?: number;
  readonly options: PagingOptions & { readonly rows?: string | undefined };
}

/** How a walk moves from page to page. README.md says how to add a kind. */
export interface PagingKind {
  /** The operator that walks it. `expandCursor`: the page itself leads on. undefined: a response is all there is. */
  readonly operator: 'expandCursor' | 'offsetPages' | undefined;
  /** How pages are found, for errors: `has pages …`. */
  readonly by: string;
  /** A walk can end with an empty page. Otherwise an empty page at the end looks like one in the middle. */
  readonly endsEmpty: boolean;
  /** A page may bring the rows of the one before again, with more in them. */
  readonly comesBack: boolean;
  /** The number of rows so far says where the walk ends. */
  readonly countsRows: boolean;
  /** The next page begins after the last row that came, so that a page with fewer rows loses none. */
  readonly resumes: boolean;
  /** The service counts the pages of a token itself: which one comes next isn't known to a process that didn't request the last one. */
  readonly repeats: boolean;
  /** Rows of a full page, if that is known. */
  readonly pageSize: number | undefined;
  /** The options of a walk that it has. */
  readonly takes: readonly (keyof PagingOptions)[];
  /** The parameter that this walk sets. Empty for none. */
  param(options: PagingOptions): string;
  /** The query of the first page. `name`: the operation's, for errors. */
  begin<Query extends object>(query: Query, options: PagingOptions, name: string): WalkStart<Query>;
  /** What follows from a page. */
  onward(walked: WalkedPage): Onward;
  /** The query of the next page, whose token or number is `cursor`. */
  move<Query extends object>(query: Query, cursor: Token, options: PagingOptions): Query;
  /** The query of a page further ahead. undefined: it isn't known before the pages between are here. */
  ahead<Query extends object>(query: Query, pages: number): Query | undefined;
}

/** What most kinds share. Each says how it differs. */
export const usualPaging = {
  endsEmpty: true,
  comesBack: false,
  countsRows: false,
  resumes: false,
  repeats: false,
  pageSize: undefined,
  ahead: () => undefined,
} as const;
