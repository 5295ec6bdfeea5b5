/** How an operation gets to its next page, as data. */
export type Paging = TokenPaging | CountedPaging | SinglePage;

/** One response is complete. */
interface SinglePage {
  readonly kind: 'none';
}

/** The response contains a token for the next page, or its address. */
interface TokenPaging {
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
  /** The address is in the `Link` header, as `rel="next"`, and not in `data`. Goes with `address`. */
  readonly link?: true;
}

/** The query has a number: a page, an offset in fixed steps, or the rows received so far. */
interface CountedPaging {
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
