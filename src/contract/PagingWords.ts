import type { OffsetPaging } from '../../operators/walk/paging/offsetPaging.ts';

/** What a description says of its pages, besides the names in the texts of its request. */
export interface PagingWords {
  /**
   * Where a response has what leads to the next page: a dotted path in the data, `header:link`, or `header:` and another name. Of several,
   * the first with a value counts. It is the token that stands where a text has `${cursor}`, else the address of the next page.
   * @default none
   */
  readonly next?: string | readonly string[];
  /**
   * Each member of the object there is a parameter of the next request, declared or not. A dotted path in the whole body, not in the
   * envelope's data.
   * @default none
   */
  readonly merge?: string;
  /**
   * Where the data says that there are more pages: true, or false at the end. Of a field that is neither, it counts whether it is there.
   */
  readonly more?: string;
  /**
   * Where the data says that this is the last page: true at the end, or false before it. As with `more`, it may also count whether it is
   * there.
   */
  readonly done?: string;
  /**
   * Where the data has the number of rows of the query. Name it only if it is exact, and no estimate. A walk is over with so many rows,
   * and one that ends with fewer is short.
   */
  readonly total?: string;
  /** Where the data has the number of pages. The walk ends with the last of them. */
  readonly pages?: string;
  /** Rows of a full page. With `${offset}`, pages are requested in steps of so many. */
  readonly size?: number;
  /** The request of a later page has no other parameters than those of the path, those for paging, and these. true: it has no others. */
  readonly alone?: true | readonly string[];
  /** The path of the requests of later pages, if it is another one. */
  readonly nextPath?: `/${string}`;
  /**
   * The token may stay the same from page to page, because the service counts its pages. A killed flow then walks again from the first
   * page. Without it, a token that stays the same is an error.
   */
  readonly repeats?: true;
}

export type PagingWord = keyof PagingWords;

/** What only our own service says of its pages. */
export interface OwnPaging extends Pick<OffsetPaging, 'numbers' | 'fixed' | 'needs'> {
  /** Parameters that narrow the rows, but not the total. Queries with one of them have none. @default none */
  readonly unless?: readonly string[];
  /** What leads on is a guess, and the shape of a response needn't have it. */
  readonly undocumented?: true;
}
