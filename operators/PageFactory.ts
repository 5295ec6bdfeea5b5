import type { Observable } from 'rxjs';
import type { RowOrigin } from './rowOrigin.ts';

/** What the operators need from a page: one response of one operation. */
export interface PageLike {
  readonly operation: string;
  readonly query: object;
  /** The response. */
  readonly data: unknown;
  /** The list that the rows come from. Empty if the response doesn't have it. */
  readonly items: readonly unknown[];
  /** Whether the list was present. A missing list is not the same as an empty one. If left out, it was present. */
  readonly list?: 'present' | 'absent';
  /** Number of rows in the list, including rows skipped for their shape. If left out, the length of `items`. */
  readonly received?: number | undefined;
  /** Identifies the page's rows among all pages. If left out, their fingerprints do. */
  readonly mark?: number | undefined;
  /** The address of the next page, if a header gives it. */
  readonly next?: string | undefined;
  /** The columns of a table of the rows. `items` passes it on with each row. */
  readonly origin?: RowOrigin | undefined;
}

export interface PageRequest {
  /** Another list of the response, as a dotted path in `data`. */
  readonly rows?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the page is for, such as the stage of a flow; events and jobs of a queue carry it. */
  readonly label?: string | undefined;
  /** Distinguishes the pages of one query from those of others with the same label. Events carry it. */
  readonly walk?: number | undefined;
}

/** How an operation gets to its next page, as data. */
export type Paging = CursorPaging | OffsetPaging | SinglePage;

/** One response is complete. */
interface SinglePage {
  readonly kind: 'none';
}

/** The response contains a token for the next page, or its address. */
export interface CursorPaging {
  readonly kind: 'cursor';
  /** The query's parameter that takes the token. */
  readonly param: string;
  /** Where in `data` to look for it. The first path with a value is used. */
  readonly at: readonly string[];
  /** The token is documented: a missing field is a difference to report. */
  readonly documented?: true;
  /** Rows of a full page, if documented. A full page without a token is requested once more. */
  readonly size?: number;
  /** How to page backwards, if possible. */
  readonly previous?: { readonly param: string; readonly at: readonly string[] };
  /** The token is the address of the next page. The request goes there instead of to the operation's own path. */
  readonly address?: true;
  /** The address is the page's `next`, from its `Link` header, and not in `data`. Goes with `address`. */
  readonly link?: true;
}

/** The query has a number: a page, an offset in fixed steps, or the rows received so far. */
export interface OffsetPaging {
  readonly kind: 'offset';
  readonly param: string;
  /** The value of the first page. @default 0 */
  readonly first?: number;
  /** What each page adds to the parameter. `'received'` adds the number of rows received. */
  readonly step: number | 'received';
  /**
   * Where `data` lists the existing page numbers, as keys from 1 on. None above `current` means the end. Where the page's own
   * number isn't documented, the list only says whether an empty page is doubtful.
   */
  readonly numbers?: { readonly at: string; readonly current?: string };
  /** Where `data` says whether there are more pages. False means the end. */
  readonly more?: string;
  /** Where `data` gives the query's total number of rows. The walk ends once it has received them. */
  readonly total?: string;
  /** Parameters sent with every page of a walk. */
  readonly fixed?: { readonly [param: string]: string | number | boolean };
}

/** How to split a query if a search returns only the first rows of all there are. */
export interface Splits {
  /** If a search returns this many rows, there may be more. */
  readonly full: number;
  /** By place: the parameter that selects the part of the map. */
  readonly area?: {
    readonly param: string;
    /** The parameter's value, with `{latitude}`, `{longitude}` and `{zoom}` in it. */
    readonly write: string;
    /** The dotted paths of a row's position. */
    readonly latitude: string;
    readonly longitude: string;
    /** The parameter that takes the words to search for. */
    readonly words: string;
    /** The lowest and highest zoom. */
    readonly zoom: readonly [number, number];
  };
  /** By year: the parameters of the first and of the last year. */
  readonly year?: { readonly first: string; readonly last: string };
}

/**
 * An operation as the operators see it. Called with a query, it returns a cold Observable of one page. Its properties
 * say how to page. Any function with these properties works. A client's factories are such functions.
 */
export interface PageFactory<Query extends object, Page extends PageLike, Pages = Paging> {
  (query: Query, request?: PageRequest): Observable<Page>;
  readonly name: string;
  readonly paging: Pages;
  /** The list is undocumented except for its name: if it is missing, the page is treated as empty. */
  readonly listUndocumented?: true | undefined;
  /** The dotted path in `data` of the total number of rows, `unless` one of these parameters narrows them. */
  readonly claims?: { readonly at: string; readonly unless?: readonly string[] } | undefined;
  /** The dotted path in `data` of an estimate of the number of rows. Above 0, a first page without rows is suspect. */
  readonly estimates?: string | undefined;
  /** It waits for demand before each request, as a client does. For any other factory the walk waits for demand. */
  readonly heedsDemand?: boolean | undefined;
  /** The field that identifies a row. */
  readonly id?: string | undefined;
  /** How to split a query that returns only its first rows into narrower ones. */
  readonly splits?: Splits | undefined;
  /** Receives what a walk reports: a limit ended it early, or an expected token is missing. */
  readonly notify?: (event: WalkEvent) => void;
  /** Creates the error of a walk that can't continue, from a message that already names the operation. If left out, a plain Error. */
  readonly paginationError?: (
    message: string,
    details: { readonly query: object; readonly lastCursor?: string | number | undefined },
  ) => Error;
}

export type WalkEvent =
  | {
      readonly type: 'truncated';
      readonly operation: string;
      readonly query: object;
      /** `'full'`: it returned as many rows as the service allows, and could not be split. */
      readonly limit: 'maxPages' | 'maxItems' | 'limit' | 'full';
      readonly pages: number;
      readonly items: number;
      /** Where to resume the walk. */
      readonly nextCursor?: string | number | undefined;
      /** Why a full search could not be split, and what to do. */
      readonly message?: string | undefined;
    }
  /** A walk ended with fewer rows than the service claims. `tolerable`: so few are missing that the claim may be wrong. */
  | {
      readonly type: 'short';
      readonly operation: string;
      readonly query: object;
      readonly got: number;
      readonly claimed: number;
      readonly tolerable: boolean;
    }
  /** A page that seems to lack rows. No figure tells how many, or whether any. */
  | { readonly type: 'suspect'; readonly operation: string; readonly query: object; readonly message: string }
  | { readonly type: 'drift'; readonly operation: string; readonly query: object; readonly issues: readonly WalkIssue[] }
  /** A fan-out made no query from any of its rows. */
  | { readonly type: 'unused'; readonly operation: string; readonly query: object; readonly rows: number };

export interface WalkIssue {
  readonly path: string;
  readonly message: string;
}
