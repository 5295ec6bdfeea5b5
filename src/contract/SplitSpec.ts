/** How a query can be split where a search gives only the first rows of what there is. */
export interface SplitSpec {
  /** So many rows may mean that there are more. */
  readonly full: number;
  /** By place: a parameter that says which part of the map to search. */
  readonly area?: {
    readonly param: string;
    /** The parameter's value, with `{latitude}`, `{longitude}` and `{zoom}` in it. */
    readonly write: string;
    /** Where a row says where it is, as dotted paths. */
    readonly latitude: string;
    readonly longitude: string;
    /** The parameter that takes the words to search for. */
    readonly words: string;
    /** The least and the greatest zoom. */
    readonly zoom: readonly [number, number];
  };
  /** By year: the parameters of the first and of the last year. */
  readonly year?: { readonly first: string; readonly last: string };
}
