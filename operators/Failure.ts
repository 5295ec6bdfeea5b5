/** A row whose stream failed, with all that is needed to run it again. */
export interface Failure<Row> {
  readonly row: Row;
  /** What told the row apart; undefined where no key was asked for. */
  readonly key: unknown;
  /** What was asked for when it failed, where that is known. */
  readonly query: object | undefined;
  /** Requests that went out for that query, where that is known. */
  readonly attempts: number | undefined;
  readonly cause: unknown;
}
