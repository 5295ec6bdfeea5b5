/** Where a response doesn't match its documented shape. */
export interface ResponseIssue {
  /** The dotted path in `data`. `[]` stands for any element of a list, `*` for any key of an object with variable keys. */
  readonly path: string;
  readonly message: string;
}
