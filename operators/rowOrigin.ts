/** One column of a table of rows: where its value is, and of what type. */
export interface Column {
  /** The dotted path, which is also its heading. */
  readonly path: string;
  readonly keys: readonly string[];
  /** `json`: a list, or an object whose fields vary. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'json';
}

/** Where a row comes from, and so what a table of such rows looks like. */
export interface RowOrigin {
  readonly operation: string;
  /** In documented order. */
  readonly columns: readonly Column[];
  /** The same for rows of another list of the answer, by its dotted path. */
  readonly ofList?: ((path: string) => RowOrigin | undefined) | undefined;
}

const origins = new WeakMap<object, RowOrigin>();

/** Says where `row` comes from. The row itself isn't touched. */
export function setOrigin(row: unknown, origin: RowOrigin): void {
  if (typeof row === 'object' && row !== null) origins.set(row, origin);
}

/** Where `row` comes from; undefined for a row that was made anew on the way, by `map` for example. */
export function originOf(row: unknown): RowOrigin | undefined {
  return typeof row === 'object' && row !== null ? origins.get(row) : undefined;
}
