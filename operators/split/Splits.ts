/** How to split a query whose search returns only its first rows. */
export interface Splits {
  /** If a search returns this many rows, there may be more. */
  readonly full: number;
  /** Into parts of the map. */
  readonly area?: AreaSpec;
  /** Into years. */
  readonly year?: YearSpec;
}

/** How an operation says where to search, and where rows lie. */
export interface AreaSpec {
  /** The parameter that selects the part of the map. */
  readonly param: string;
  /** The parameter's value, with `{latitude}`, `{longitude}` and `{zoom}` in it. */
  readonly write: string;
  /** Where a row's latitude is. */
  readonly latitude: string;
  /** Where a row's longitude is. */
  readonly longitude: string;
  /** The parameter that takes the words to search for. */
  readonly words: string;
  /** The lowest and highest zoom. */
  readonly zoom: readonly [number, number];
  /**
   * How wide and how high the rectangle is that a search sees around its centre, in map tiles of 256 pixels.
   *
   * @default it is learnt
   */
  readonly sight?: readonly [number, number];
}

/** How an operation says which years to search. */
export interface YearSpec {
  /** The parameter of the first year. */
  readonly first: string;
  /** The parameter of the last year. */
  readonly last: string;
}
