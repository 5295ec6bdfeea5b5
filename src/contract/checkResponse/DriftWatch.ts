import { getOrInsert } from '../../../operators/kit/once.ts';
import { isObject } from '../../../operators/kit/ownValue.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import { outerColumns, rowsAt } from '../../../operators/walk/rowsAt.ts';
import { responseOf } from '../envelopeOf.ts';
import { isOptionalList, rowPlaceOf, rowsIn } from '../fieldAt.ts';
import { listsIn, unusableRows } from '../whyNotAPage.ts';
import { type Operation, shown } from '../Operation.ts';
import type { Shape } from '../Shape.ts';
import { findIssues, type ResponseIssue } from './findIssues.ts';

/** An issue, and how often it occurred. */
export interface DriftCount extends ResponseIssue {
  readonly operation: string;
  /** Responses that have the issue. */
  readonly responses: number;
  /** Responses that were checked. */
  readonly looked: number;
}

interface Watched {
  pages: number;
  looked: number;
  readonly seen: Map<string, { readonly issue: ResponseIssue; responses: number }>;
}

const firstPages = 20;
const sampled = 50;

/** Chooses which responses are compared with their documented shape: the first 20 pages of an operation, then every fiftieth. */
export class DriftWatch {
  readonly #watched = new Map<Operation, Watched>();

  /** Whether to check the next page of an operation. Call it once for each page. `odd`: check it in any case. */
  looksAt(operation: Operation, odd: boolean): boolean {
    const watched = getOrInsert(this.#watched, operation, () => ({ pages: 0, looked: 0, seen: new Map() }));
    const nth = watched.pages++;
    if (!odd && nth >= firstPages && nth % sampled !== 0) return false;
    watched.looked++;
    return true;
  }

  /** Counts the issues of a page that was checked. Returns those whose path is new. */
  note(operation: Operation, issues: readonly ResponseIssue[]): readonly ResponseIssue[] {
    const { seen } = this.#watched.get(operation)!;
    return issues.filter((issue) => {
      const known = seen.get(issue.path);
      if (known === undefined) seen.set(issue.path, { issue, responses: 1 });
      else known.responses++;
      return known === undefined;
    });
  }

  counts(): readonly DriftCount[] {
    return [...this.#watched].flatMap(([{ name: operation }, { looked, seen }]) =>
      [...seen.values()].map(({ issue, responses }) => ({ operation, ...issue, responses, looked })),
    );
  }
}

export interface ResponseCheck {
  /** At most ten, each path once. */
  readonly issues: readonly ResponseIssue[];
  /** Indices of rows that can't be used, because they should be objects and aren't. */
  readonly badRows: readonly number[];
}

const maxIssues = 10;
const maxLists = 4;

/**
 * Compares a response with its documented shape. Undocumented fields are ignored. `query` selects the variant of the response, if the
 * operation has some. `rows` names another list than the operation's own. Then `badRows` is about its rows, and it is an issue if the list
 * is missing.
 */
export function checkResponse(operation: Operation, data: unknown, query?: object, rows?: string | null): ResponseCheck {
  const { response, rows: list } = responseOf(operation, query);
  const path = rows === undefined ? list : rows;
  return {
    issues: responseIssues(operation, data, query, rows),
    badRows: unusableRows(response, path, rowsIn(operation, data, path)),
  };
}

/** Only the `issues` of `checkResponse`. */
export function responseIssues(operation: Operation, data: unknown, query?: object, rows?: string | null): readonly ResponseIssue[] {
  const { response, rows: list } = responseOf(operation, query);
  const path = rows === undefined ? list : rows;
  const absent = path !== null && isObject(data) && isMissing(operation, response, data, path, rows !== undefined);
  const lost = lostIssue(operation, data, path);
  const issues = [...(lost === undefined ? [] : [lost]), ...findIssues(response, data, maxIssues)].slice(0, maxIssues);
  if (!absent) return issues;
  const at = issues.findIndex((issue) => issue.path === path);
  const lists = listsIn(data).slice(0, maxLists).map(({ list }) => list).join(', '); // prettier-ignore
  const message = `expected a list, got nothing${lists && `. Lists in this response: ${lists}`}`;
  if (at >= 0 || issues.length < maxIssues) issues.splice(at < 0 ? issues.length : at, 1, { path, message });
  return issues;
}

/** The issue of rows that already have the column for their key, or a column of `outer`. That value is lost. */
function lostIssue(operation: Operation, data: unknown, path: string | null): ResponseIssue | undefined {
  const { keyed, outer } = rowPlaceOf(operation, path);
  if (outer !== undefined) {
    const { items } = rowsAt(data, path, { keyed });
    const column = outerColumns(outer).find(([name]) => items.some((row) => isObject(row) && Object.hasOwn(row, name)))?.[0];
    const message = `rows have ${column} of their own, so the one that outer names is lost; outer must name another column`;
    if (column !== undefined) return { path: `${path}[].${column}`, message };
  }
  const members = keyed === undefined ? undefined : path === '' ? data : valueAt(data, path!);
  if (keyed === undefined || !isObject(members)) return undefined;
  const isLost = (key: string, own: unknown): boolean => own !== key && (typeof own !== 'number' || String(own) !== key);
  const lost = Object.entries(members).find(([key, row]) => isObject(row) && Object.hasOwn(row, keyed) && isLost(key, row[keyed]));
  if (lost === undefined) return undefined;
  const message = `rows have ${keyed} of their own, so their keys are lost, such as ${shown(lost[0])}; keyed must name another column`;
  return { path: `${path === '' ? '' : `${path}.`}*.${keyed}`, message };
}

/** Whether an expected list is missing: one that the caller has named, or a documented one that isn't optional. */
function isMissing(operation: Operation, response: Shape, data: object, path: string, named: boolean): boolean {
  if (rowsIn(operation, data, path).list === 'present') return false;
  if (named) return true;
  if (operation.spec.listUndocumented === true) return false;
  return !isOptionalList(response, path);
}
