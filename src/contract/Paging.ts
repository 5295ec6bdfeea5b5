/** How an operation goes on to its next page, as data. */
export type Paging = CursorPaging | OffsetPaging | NoPaging;

export interface NoPaging {
  readonly kind: 'none';
}

/** The answer holds a token, which the next query hands back. */
export interface CursorPaging {
  readonly kind: 'cursor';
  /** The query's parameter that takes the token. */
  readonly param: string;
  /** Where in `data` to look for it; the first that is there counts. */
  readonly at: readonly string[];
  /** The answer documents the token: when it isn't there at all, that is drift. */
  readonly documented?: true;
  /** The way back, where there is one. */
  readonly previous?: { readonly param: string; readonly at: readonly string[] };
}

/** The query counts: pages, rows in steps, or rows received. */
export interface OffsetPaging {
  readonly kind: 'offset';
  readonly param: string;
  /** What a page adds to the parameter; `'received'` adds the number of rows that came. */
  readonly step: number | 'received';
  /** Rows of a full page, where documented: a shorter one is the last. */
  readonly size?: number;
  /** Where in `data` the page numbers stand that exist; none above `current` means the end. */
  readonly numbers?: { readonly at: string; readonly current: string };
  /** Parameters that every page of a walk is asked with. */
  readonly fixed?: { readonly [param: string]: string | number | boolean };
}
