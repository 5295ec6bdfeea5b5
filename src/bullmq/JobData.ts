/** A job: one page of one query. It holds no key and no row. */
export interface JobData {
  /** The leader's version of jobs and results. */
  readonly format: number;
  readonly stage: string;
  readonly operation: string;
  /** The leader stores responses, so it also wants them unchanged. */
  readonly keep?: true | undefined;
  /** The cursor of the page is one of its parameters. */
  readonly query: { readonly [param: string]: unknown };
}
