import type { Operation } from '../Operation.ts';
import type { Shape } from '../Shape.ts';
import { answerOf } from '../answerOf.ts';
import { fieldAt } from '../fieldAt.ts';
import { rowShape } from '../rowShape.ts';
import { rowsAt } from '../rowsAt.ts';
import type { AnswerIssue } from './AnswerIssue.ts';
import { conforms, isObject } from './conforms.ts';
import { findIssues } from './findIssues.ts';
import { shapeText } from './shapeText.ts';

export interface AnswerCheck {
  /** At most ten, each path once. */
  readonly issues: readonly AnswerIssue[];
  /** Indices of unusable rows: not an object where an object should be. */
  readonly badRows: readonly number[];
}

const fine: AnswerCheck = { issues: [], badRows: [] };
const most = 10;

/**
 * Compares a response with its documented shape. Undocumented fields are ignored. `query` selects the variant of the
 * response, if the operation has some. `rows` names a list other than the default: `badRows` then refers to its rows,
 * and a missing list is an issue. A response without issues costs a few microseconds.
 */
export function checkAnswer(operation: Operation, data: unknown, query?: object, rows?: string | null): AnswerCheck {
  const { answer, list } = answerOf(operation, query);
  const path = rows === undefined ? list : rows;
  const absent = path !== null && isObject(data) && isMissing(operation, answer, data, path, rows !== undefined);
  if (!absent && conforms(answer)(data)) return fine;
  const issues = [...findIssues(answer, data, most)];
  if (absent && issues.length < most && !issues.some((issue) => issue.path === path)) {
    issues.push({ path, message: 'expected a list, came nothing' });
  }
  return { issues, badRows: badRows(rowShape(answer, path), rowsAt(data, path).items) };
}

/** Whether a list isn't there that ought to be: one that was asked for by name, or one that is documented. */
function isMissing(operation: Operation, answer: Shape, data: object, path: string, named: boolean): boolean {
  if (rowsAt(data, path).list === 'present') return false;
  if (named) return true;
  return operation.spec.listUndocumented !== true && fieldAt(answer, path)?.optional !== true;
}

function badRows(shape: Shape | undefined, rows: readonly unknown[]): readonly number[] {
  if (shape === undefined || !shapeText(shape).startsWith('an object')) return [];
  return rows.flatMap((row, index) => (isObject(row) ? [] : [index]));
}
