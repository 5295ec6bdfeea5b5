/** A row whose stream failed, with everything needed to run it again. */
export interface Failure<Row> {
  readonly row: Row;
  /** The key of the row. Undefined if no key was set. */
  readonly key: unknown;
  /** The query that failed, if known. */
  readonly query: object | undefined;
  /** Requests sent for that query, if known. */
  readonly attempts: number | undefined;
  readonly cause: unknown;
}
