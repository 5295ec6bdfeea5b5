/** Summary of a split. */
export interface SplitSummary<Query extends object = object> {
  /** Walks of the queries and of the narrower queries made from them. */
  readonly queries: number;
  /** Unique rows emitted. */
  readonly rows: number;
  /** Duplicate rows dropped. */
  readonly again: number;
  /** Rows left out because they lie outside the area. */
  readonly outside: number;
  /** Queries that were full and could not be split. The service has more rows for them. */
  readonly full: readonly Query[];
}
