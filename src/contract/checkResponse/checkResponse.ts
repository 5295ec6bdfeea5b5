import { type Operation, keyOfRows } from '../Operation.ts';
import type { Shape } from '../Shape.ts';
import { responseOf } from '../envelopeOf.ts';
import { isOptionalList } from '../fieldAt.ts';
import { rowsAt, valueAt } from '../../../operators/walk/valueAt.ts';
import { type ResponseIssue, findIssues } from './findIssues.ts';
import { conforms, isObject } from './conforms.ts';
import { shown } from '../shown.ts';
import { listsIn, unusableRows } from '../lackOf.ts';

export interface ResponseCheck {
  /** At most ten, each path once. */
  readonly issues: readonly ResponseIssue[];
  /** Indices of unusable rows: not an object where an object should be. */
  readonly badRows: readonly number[];
}

const maxIssues = 10;
const maxLists = 4;

/**
 * Compares a response with its documented shape. Undocumented fields are ignored. `query` selects the variant of the
 * response, if the operation has some. `rows` names a list other than the default: `badRows` then refers to its rows,
 * and a missing list is an issue. A response without issues costs a few microseconds.
 */
export function checkResponse(operation: Operation, data: unknown, query?: object, rows?: string | null): ResponseCheck {
  const { response, list } = responseOf(operation, query);
  const path = rows === undefined ? list : rows;
  return {
    issues: responseIssues(operation, data, query, rows),
    badRows: unusableRows(response, path, rowsAt(data, path, keyOfRows(operation, path)).items, keyOfRows(operation, path)),
  };
}

/** The differences alone. */
export function responseIssues(operation: Operation, data: unknown, query?: object, rows?: string | null): readonly ResponseIssue[] {
  const { response, list } = responseOf(operation, query);
  const path = rows === undefined ? list : rows;
  const absent = path !== null && isObject(data) && isMissing(operation, response, data, path, rows !== undefined);
  const lost = keyIssue(operation, data, path);
  if (!absent && lost === undefined && conforms(response)(data)) return [];
  const issues = [...(lost === undefined ? [] : [lost]), ...findIssues(response, data, maxIssues)].slice(0, maxIssues);
  if (!absent) return issues;
  const at = issues.findIndex((issue) => issue.path === path);
  const lists = listsIn(data).slice(0, maxLists).map(({ list }) => list).join(', '); // prettier-ignore
  const message = `expected a list, got nothing${lists && `. Lists in this response: ${lists}`}`;
  if (at >= 0 || issues.length < maxIssues) issues.splice(at < 0 ? issues.length : at, 1, { path, message });
  return issues;
}

/** The keys of rows that have another value of their own in that column. */
export function keyIssue(operation: Operation, data: unknown, path: string | null): ResponseIssue | undefined {
  const keyed = keyOfRows(operation, path);
  const members = keyed === undefined ? undefined : path === '' ? data : valueAt(data, path!);
  if (keyed === undefined || !isObject(members)) return undefined;
  const isLost = (key: string, own: unknown): boolean => own !== key && (typeof own !== 'number' || String(own) !== key);
  const lost = Object.entries(members).find(([key, row]) => isObject(row) && Object.hasOwn(row, keyed) && isLost(key, row[keyed]));
  if (lost === undefined) return undefined;
  const message = `rows have ${keyed} of their own, so their keys are lost, such as ${shown(lost[0])}; keyed must name another column`;
  return { path: `${path === '' ? '' : `${path}.`}*.${keyed}`, message };
}

/** Whether an expected list is missing: one that was named, or a documented one. */
function isMissing(operation: Operation, response: Shape, data: object, path: string, named: boolean): boolean {
  if (rowsAt(data, path, keyOfRows(operation, path)).list === 'present') return false;
  if (named) return true;
  if (operation.spec.listUndocumented === true) return false;
  return !isOptionalList(response, path);
}
