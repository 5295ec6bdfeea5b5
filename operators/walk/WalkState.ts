/**
 * Where a walk stands: all that is needed to go on. `stepWalk` turns one state into the next and hands `seen` on with
 * it, so a state is stepped once.
 */
export interface WalkState<Query extends object = object> {
  /** What to ask for now. */
  readonly query: Query;
  /** Pages so far. */
  readonly pages: number;
  /** Rows so far. */
  readonly items: number;
  /** Empty pages in a row. */
  readonly empty: number;
  /** Tokens asked for so far. */
  readonly seen: Set<string>;
  /** The rows of the page before, to notice a page that brings nothing new. */
  readonly last?: readonly unknown[] | undefined;
}
