/** One column of a table of rows: the path of its value, and its type. */
export interface Column {
  /** The dotted path, which is also its heading. */
  readonly path: string;
  readonly keys: readonly string[];
  /** `timestamp`, `date`: ISO 8601, as text. `json`: a list, or an object whose fields vary. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date' | 'json';
  /** What it means, if documented. */
  readonly about?: string;
}
