import type { Observable } from 'rxjs';
import type { RowOrigin } from './rowOrigin.ts';

/** What the operators need of a page: one answer of one operation. */
export interface PageLike {
  readonly operation: string;
  readonly query: object;
  /** The answer. */
  readonly data: unknown;
  /** The list that the rows come from; empty where the answer doesn't have it. */
  readonly items: readonly unknown[];
  /** Whether the list was there: an absent one is not the same as an empty one. Left out: it was. */
  readonly list?: 'present' | 'absent';
  /** Rows that the list held, those included that were skipped for their shape. Left out: as many as `items`. */
  readonly received?: number | undefined;
  /** Tells the page's rows from those of any other page. Left out: their fingerprints do. */
  readonly mark?: number | undefined;
  /** The address of the next page, where a header says it. */
  readonly next?: string | undefined;
  /** What a table of the rows looks like; `items` hands it on with each row. */
  readonly origin?: RowOrigin | undefined;
}

export interface PageRequest {
  /** Another list of the answer, as a dotted path in `data`. */
  readonly rows?: string | undefined;
  /** Rows may be `LazyRow`s, where the response allows it. @default false */
  readonly lazy?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the page is for, such as the stage of a flow; events and jobs of a queue carry it. */
  readonly label?: string | undefined;
  /** Tells the pages of one query from those of others with the same label; events carry it. */
  readonly walk?: number | undefined;
}

/** The answer holds a token, which the next query hands back. */
export interface CursorPaging {
  readonly kind: 'cursor';
  readonly param: string;
  readonly at: readonly string[];
  readonly documented?: true;
  /** Rows of a full page, where that is documented: a full page without a token is requested once more. */
  readonly size?: number;
  readonly previous?: { readonly param: string; readonly at: readonly string[] };
  /** The token is the address of the next page. */
  readonly address?: true;
  /** The token is the page's `next`, and not in `data`. */
  readonly link?: true;
}

/** The query counts: pages, rows in steps, or rows received. */
export interface OffsetPaging {
  readonly kind: 'offset';
  readonly param: string;
  /** The value of the first page. @default 0 */
  readonly first?: number;
  readonly step: number | 'received';
  readonly numbers?: { readonly at: string; readonly current: string };
  readonly more?: string;
  readonly total?: string;
  readonly fixed?: { readonly [param: string]: string | number | boolean };
}

/** How a query can be split where a search gives only the first rows of what there is. */
export interface Splits {
  /** So many rows may mean that there are more. */
  readonly full: number;
  readonly area?: {
    readonly param: string;
    /** With `{latitude}`, `{longitude}` and `{zoom}` in it. */
    readonly write: string;
    readonly latitude: string;
    readonly longitude: string;
    readonly words: string;
    readonly zoom: readonly [number, number];
  };
  readonly year?: { readonly first: string; readonly last: string };
}

/**
 * An operation as the operators see it: called with a query it gives an Observable of one page, cold, and it says
 * how the operation goes on. Any function with these properties will do; a client's factories are such functions.
 */
export interface PageFactory<
  Query extends object,
  Page extends PageLike,
  Paging = CursorPaging | OffsetPaging | { readonly kind: 'none' },
> {
  (query: Query, request?: PageRequest): Observable<Page>;
  readonly name: string;
  readonly paging: Paging;
  /** The list is known by name only: an answer without it has no rows, and that is no drift. */
  readonly listUndocumented?: true | undefined;
  /** Where a response says how many rows there are in all, as a dotted path in `data`; `unless` one of these parameters narrows them. */
  readonly claims?: { readonly at: string; readonly unless?: readonly string[] } | undefined;
  /** It holds its requests back by itself, as a client does. A walk over any other waits for demand itself. */
  readonly heedsDemand?: boolean | undefined;
  /** The field of a row that tells it apart. */
  readonly id?: string | undefined;
  /** How a query that gives only its first rows is split into narrower ones. */
  readonly splits?: Splits | undefined;
  /** Told what a walk has to say: that it was cut short by a limit, that a token it counts on is missing. */
  readonly notify?: (event: WalkEvent) => void;
  /** Makes the error of a walk that can't go on, from a message that names the operation already; left out: a plain Error. */
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
      /** `'full'`: it gave as much as the service gives, and could not be split. */
      readonly limit: 'maxPages' | 'maxItems' | 'limit' | 'full';
      readonly pages: number;
      readonly items: number;
      /** Where the walk would have gone on. */
      readonly nextCursor?: string | number | undefined;
    }
  /** A walk ended with fewer rows than the service claims. `tolerable`: so few less that the claim may be wrong. */
  | {
      readonly type: 'short';
      readonly operation: string;
      readonly query: object;
      readonly got: number;
      readonly claimed: number;
      readonly tolerable: boolean;
    }
  | { readonly type: 'drift'; readonly operation: string; readonly query: object; readonly issues: readonly WalkIssue[] }
  /** A fan-out made no query out of any of its rows. */
  | { readonly type: 'unused'; readonly operation: string; readonly query: object; readonly rows: number };

export interface WalkIssue {
  readonly path: string;
  readonly message: string;
}
