/** One column of a table of rows: where its value is, and of what type. */
export interface OriginColumn {
  /** The dotted path, which is also its heading. */
  readonly path: string;
  readonly keys: readonly string[];
  /** `timestamp`, `date`: ISO 8601, as text. `json`: a list, or an object whose fields vary. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date' | 'json';
}

/** Where a row comes from, and so what a table of such rows looks like. */
export interface RowOrigin {
  readonly operation: string;
  /** In documented order. */
  readonly columns: readonly OriginColumn[];
  /** The same for rows of another list of the answer, by its dotted path. */
  readonly ofList?: ((path: string) => RowOrigin | undefined) | undefined;
}

/** What is constructed is the very object that is given, so that a class which extends this adds its fields to that. */
const Given = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** A private field in a row that others made: nobody else sees it, and no copy has it. A WeakMap costs 3 % of a crawl. */
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

/** For rows that are frozen, which take no field. */
const closed = new WeakMap<object, RowOrigin>();

/** Says where `row` comes from. What others see of the row stays as it is. */
export function setOrigin(row: unknown, origin: RowOrigin): void {
  if (typeof row === 'object' && row !== null) Row.set(row, origin);
}

/** Where `row` comes from; undefined for a row that was made anew on the way, by `map` for example. */
export function originOf(row: unknown): RowOrigin | undefined {
  return typeof row === 'object' && row !== null ? Row.get(row) : undefined;
}
