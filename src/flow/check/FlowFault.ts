/** A fault, and the keys that lead to its place. */
export interface FlowFault {
  readonly at: readonly (string | number)[];
  readonly message: string;
}
