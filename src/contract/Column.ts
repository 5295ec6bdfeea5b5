/** One column of a table of rows: where its value is, and of what type. */
export interface Column {
  /** The dotted path, which is also its heading. */
  readonly path: string;
  readonly keys: readonly string[];
  /** `json`: a list, or an object whose fields vary. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'json';
}
