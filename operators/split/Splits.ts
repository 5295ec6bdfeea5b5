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
