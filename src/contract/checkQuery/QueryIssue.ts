/** What is wrong with one parameter of a query. */
export interface QueryIssue {
  readonly param: string;
  /** Names the parameter, the value that was given, and what is right. */
  readonly message: string;
}
