/** One fault of a flow. */
export interface FlowIssue {
  /** Where in the definition: `stages.reviews.with.data_id`. */
  readonly path: string;
  /** Where in the file, counted from 1; known for `.json` files. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly message: string;
}
