/** A problem with one parameter of a query. */
export interface QueryIssue {
  readonly param: string;
  /** Names the parameter, the given value, and what is allowed. */
  readonly message: string;
}
