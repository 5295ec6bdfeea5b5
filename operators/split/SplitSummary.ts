/** How the splitting of queries went. */
export interface SplitSummary<Query extends object = object> {
  /** Walks, of queries and of those they were split into. */
  readonly queries: number;
  /** Rows given, each once. */
  readonly rows: number;
  /** Rows that came again. */
  readonly again: number;
  /** Rows left out because they lie outside the area. */
  readonly outside: number;
  /** Queries that were full and could not be split: there is more than they gave. */
  readonly full: readonly Query[];
}
