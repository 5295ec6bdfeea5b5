/** A job: one page of one unit. It holds no key and no row. */
export interface JobData {
  readonly stage: string;
  readonly operation: string;
  /** The cursor of the page is one of its parameters. */
  readonly query: { readonly [param: string]: unknown };
}
