import type { Operation } from './contract/Operation.ts';

/** A list in an operation's answer that can be read as rows. */
export interface ListOf {
  /** The dotted path in `data`. */
  readonly path: string;
  /** The rows are read from here unless told otherwise. */
  readonly default: boolean;
  /** Dotted names of a row's documented fields; empty where they aren't documented. */
  readonly columns: readonly string[];
}

/** The lists of an answer, in documented order. */
export function listsOf(operation: Operation): readonly ListOf[] {
  void operation;
  return [];
}
