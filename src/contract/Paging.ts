/** How an operation gets to its next page, as data. */
export type Paging = TokenPaging | CountedPaging | SinglePage;

/** A response is all there is. */
interface SinglePage {
  readonly kind: 'none';
}

/** The response holds a token for the next page, or its address. */
interface TokenPaging {
  readonly kind: 'cursor';
  /** The query's parameter that takes the token. */
  readonly param: string;
  /** Where in `data` to look for it; the first that is there counts. */
  readonly at: readonly string[];
  /** The response documents the token: if the field is missing altogether, that is drift. */
  readonly documented?: true;
  /** Rows of a full page, where that is documented: a full page without a token is requested once more. */
  readonly size?: number;
  /** The way back, where there is one. */
  readonly previous?: { readonly param: string; readonly at: readonly string[] };
  /** The token is the address of the next page. The request goes there instead of to the operation's own path. */
  readonly address?: true;
  /** The address is in the `Link` header, as `rel="next"`, and not in `data`. Goes with `address`. */
  readonly link?: true;
}

/** The query counts: pages, rows in steps, or rows received. */
interface CountedPaging {
  readonly kind: 'offset';
  readonly param: string;
  /** The value of the first page. @default 0 */
  readonly first?: number;
  /** What a page adds to the parameter; `'received'` adds the number of rows that came. */
  readonly step: number | 'received';
  /** Where in `data` the page numbers stand that exist; none above `current` means the end. */
  readonly numbers?: { readonly at: string; readonly current: string };
  /** Where in `data` it says whether there are more pages: false means the end. */
  readonly more?: string;
  /** Where in `data` it says how many rows the query has in all: once they came, the walk ends. */
  readonly total?: string;
  /** Parameters that every page of a walk is asked with. */
  readonly fixed?: { readonly [param: string]: string | number | boolean };
}
