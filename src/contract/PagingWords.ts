import type { OffsetPaging } from '../../operators/walk/paging/offsetPaging.ts';

/** The fields of a description that say how to get the next page. Texts of its request may have `${page}`, `${offset}` or `${cursor}`. */
export interface PagingWords {
  /**
   * Where a response has the next page's token, which `${cursor}` in a text stands for. If no text has that: the next page's address. It is
   * a dotted path in the data, `header:link`, or `header:` and another name. Of several, the first with a value counts.
   * @default none
   */
  readonly next?: string | readonly string[];
  /**
   * Where the whole body has an object with the parameters of the next request, declared or not. A dotted path, not inside the envelope's
   * data.
   * @default none
   */
  readonly merge?: string;
  /**
   * Where the data says whether there are more pages: true, or false at the end. For a field of another type, its presence counts.
   */
  readonly more?: string;
  /**
   * Where the data says whether this is the last page: true at the end, false before it. For a field of another type, its presence counts.
   */
  readonly done?: string;
  /**
   * Where the data has the number of rows of the query, or `header:` and a name. Name it only if it is exact, not an estimate. A walk ends
   * after that many rows, and a walk that ends with fewer counts as short.
   */
  readonly total?: string;
  /** Where the data has the number of pages, or `header:` and a name. The walk ends with the last of them. */
  readonly pages?: string;
  /** Rows of a full page. With `${offset}`, it is the step from page to page. */
  readonly size?: number;
  /** The request of a later page has only the parameters of the path, those for paging, and the ones listed here. true: none besides. */
  readonly alone?: true | readonly string[];
  /** The path for later pages, if it differs. */
  readonly nextPath?: `/${string}`;
  /**
   * The token may stay the same from page to page, because the service itself counts the pages. A killed flow then starts the walk over.
   * Without this, a token that stays the same is an error.
   */
  readonly repeats?: true;
}

export type PagingWord = keyof PagingWords;

/** The fields about paging that only our own service has. */
export interface OwnPaging extends Pick<OffsetPaging, 'numbers' | 'fixed' | 'needs'> {
  /** Parameters that narrow the rows, but not the total. For queries with one of them, the total isn't used. @default none */
  readonly unless?: readonly string[];
  /** The way to the next page is a guess, so the shape of a response needn't have it. */
  readonly undocumented?: true;
}
