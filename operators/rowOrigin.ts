/** One column of a table of rows: the path of its value, and its type. */
export interface OriginColumn {
  /** The dotted path, which is also its heading. */
  readonly path: string;
  readonly keys: readonly string[];
  /** `timestamp`, `date`: ISO 8601, as text. `json`: a list, or an object whose fields vary. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date' | 'json';
}

/** Where a row comes from, and the columns of a table of such rows. */
export interface RowOrigin {
  readonly operation: string;
  /** In documented order. */
  readonly columns: readonly OriginColumn[];
  /** The origin for rows of another list of the response, by its dotted path. */
  readonly ofList?: ((path: string) => RowOrigin | undefined) | undefined;
  /** The dotted paths of the documented lists of the response. */
  readonly lists?: readonly string[] | undefined;
}

/** A row that has a field for its origin. */
export abstract class OwnOrigin {
  origin: RowOrigin | undefined = undefined;
}

/** The constructor returns the object that it is given. So a class that extends this adds its private fields to that object. */
const Given = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** Adds a private field to an existing row. No other code sees it, and no copy has it. A WeakMap would make a crawl 3 % slower. */
class Row extends Given {
  #origin: RowOrigin;

  constructor(row: object, origin: RowOrigin) {
    super(row);
    this.#origin = origin;
  }

  static set(row: object, origin: RowOrigin): void {
    if (!(#origin in row) && Object.isExtensible(row)) row = new Row(row, origin);
    if (#origin in row) row.#origin = origin;
    else closed.set(row, origin);
  }

  static get(row: object): RowOrigin | undefined {
    return #origin in row ? row.#origin : closed.get(row);
  }
}

/** For frozen rows, which can't get a field. */
const closed = new WeakMap<object, RowOrigin>();

/** Records where `row` comes from. The row looks unchanged to other code. */
export function setOrigin(row: unknown, origin: RowOrigin): void {
  if (row instanceof OwnOrigin) row.origin = origin;
  else if (typeof row === 'object' && row !== null) Row.set(row, origin);
}

/** Where `row` comes from. Undefined for a row that an operator such as `map` replaced. */
export function originOf(row: unknown): RowOrigin | undefined {
  if (row instanceof OwnOrigin) return row.origin;
  return typeof row === 'object' && row !== null ? Row.get(row) : undefined;
}
