/**
 * A ready fan-out as data: which operation it calls for each row, with what from the row, and which rows it leaves out.
 * An operator and a flow's stage both read it, by `queriesOf`.
 */
export interface FanOutSpec {
  /** The name of the operation. */
  readonly call: string;
  /** What it gives, as in "reviews of each place". */
  readonly about: string;
  /** What it runs over: a list in the `data` of each page, or `data` itself (null). @default the rows */
  readonly rows?: string | null;
  /** Where each parameter comes from: one source, or several, of which the first with a value counts. Rows without a value are left out. */
  readonly with: { readonly [param: string]: FanOutSource | readonly FanOutSource[] };
  /** The parameters that make two queries the same: each is asked for once. @default all of `with` */
  readonly by?: readonly string[];
  /** Fields of the row; when one of them is 0, the row is left out. */
  readonly unlessZero?: readonly string[];
  /** The field of the row that says how many rows there are for it: `$.reviews`. @default unknown */
  readonly claims?: string;
  /** As an operator it walks all pages of each query. @default one page each */
  readonly walks?: true;
  /**
   * What the row hands out is valid for minutes: it is asked for before all else, and when it is refused, the query that
   * gave the row is asked once more for a new one.
   */
  readonly expires?: true;
}

/**
 * A value: `$.field` of the row (`$.list[].field` runs over a list in it), `$query.param` of the query that brought the row,
 * any other text for itself; or a part of one.
 */
export type FanOutSource = string | FanOutPart;

export interface FanOutPart {
  readonly of: string;
  /** What is before this text. */
  readonly before?: string;
  /** Several values, with this text between them. */
  readonly split?: string;
  /** The value of this parameter in an address. */
  readonly param?: string;
}
