import { responseOf } from '../responseOf.ts';
import { fieldsOf, kindOfShape } from '../kindOfShape.ts';
import type { Operation } from '../Operation.ts';
import { rowsAt } from '../valuesAt.ts';
import type { Shape } from '../Shape.ts';
import { checkResponse, type ResponseCheck } from './checkResponse.ts';
import type { ResponseIssue } from './findIssues.ts';
import { conforms, isObject, type Test } from './conforms.ts';

/** An issue, and the number of responses that have it. */
export interface DriftCount extends ResponseIssue {
  readonly operation: string;
  readonly responses: number;
}

interface Seen {
  readonly issue: ResponseIssue;
  /** Whether a response differs at exactly this path. */
  readonly differs: Test;
  responses: number;
}
interface Known {
  /** The shape without the parts that were seen to differ. */
  relaxed: Shape;
  readonly seen: Map<string, Seen>;
}

const nothingNew: ResponseCheck = { issues: [], badRows: [] };

/**
 * Compares responses with the documentation as `checkResponse` does, but reports each issue of an operation once and then
 * counts it. A response with known issues costs little more than one without.
 */
export class ResponseWatch {
  readonly #known = new Map<Operation, Map<Shape, Known>>();

  /** The new issues in this response. Unusable rows are reported each time. */
  check(operation: Operation, data: unknown, query: object, rows?: string | null): ResponseCheck {
    const { response } = responseOf(operation, query);
    const named = typeof rows === 'string' && rowsAt(data, rows).list === 'absent';
    if (!named && conforms(response)(data)) return nothingNew;
    const known = this.#knownOf(operation, response);
    if (!named && known.seen.size > 0 && conforms(known.relaxed)(data)) {
      for (const seen of known.seen.values()) if (seen.differs(data)) seen.responses++;
      return nothingNew;
    }
    const { issues, badRows } = checkResponse(operation, data, query, rows);
    return { issues: note(known, response, issues), badRows };
  }

  /** Counts issues found elsewhere. Returns the new ones. */
  add(operation: Operation, query: object, issues: readonly ResponseIssue[]): readonly ResponseIssue[] {
    if (issues.length === 0) return issues;
    const { response } = responseOf(operation, query);
    return note(this.#knownOf(operation, response), response, issues);
  }

  counts(): readonly DriftCount[] {
    return [...this.#known].flatMap(([{ name: operation }, shapes]) =>
      [...shapes.values()].flatMap(({ seen }) => [...seen.values()].map(({ issue, responses }) => ({ operation, ...issue, responses }))),
    );
  }

  #knownOf(operation: Operation, response: Shape): Known {
    let shapes = this.#known.get(operation);
    if (shapes === undefined) this.#known.set(operation, (shapes = new Map()));
    let known = shapes.get(response);
    if (known === undefined) shapes.set(response, (known = { relaxed: response, seen: new Map() }));
    return known;
  }
}

/** Counts issues. Returns the new ones. */
function note(known: Known, response: Shape, issues: readonly ResponseIssue[]): readonly ResponseIssue[] {
  const fresh = issues.filter((issue) => !known.seen.has(issue.path));
  for (const { path } of issues) {
    const seen = known.seen.get(path);
    if (seen !== undefined) seen.responses++;
  }
  for (const issue of fresh) {
    const keys = keysOf(issue.path);
    known.seen.set(issue.path, { issue, differs: differsAt(response, keys), responses: 1 });
    // Unusable elements are looked for each time.
    if (keys.at(-1) !== '[]') known.relaxed = relax(known.relaxed, keys);
  }
  return fresh;
}

/** The keys of `rows[].user.name`. `'[]'` is any element, `'*'` any key. */
function keysOf(path: string): readonly string[] {
  return path === ''
    ? []
    : path
        .replaceAll('[]', '.[]')
        .split('.')
        .filter((key) => key !== '');
}

/** A copy of a shape that accepts anything at a path. */
function relax(shape: Shape, keys: readonly string[]): Shape {
  const [key, ...rest] = keys;
  const at = kindOfShape(shape);
  if (key === undefined || at.kind === 'leaf' || at.kind === 'hint') return 'unknown';
  if (at.kind === 'nullable') return { $nullable: relax(at.of, keys) };
  if (at.kind === 'list') return key === '[]' ? [relax(at.of, rest)] : 'unknown';
  if (at.kind === 'map') return key === '*' && at.map.$suffix === undefined ? { ...at.map, $map: relax(at.map.$map, rest) } : 'unknown';
  if (at.kind === 'oneOf') {
    if (key === at.union.$by) return { ...at.union, $open: true };
    return { ...at.union, $oneOf: at.union.$oneOf.map((one) => (hasField(one, key) ? relax(one, keys) : one)) };
  }
  const fields = fieldsOf(at.object).map(({ name, optional, shape: field }): [string, Shape] => {
    if (name !== key) return [optional ? `${name}?` : name, field];
    return rest.length === 0 ? [`${name}?`, 'unknown'] : [optional ? `${name}?` : name, relax(field, rest)];
  });
  return Object.fromEntries(fields);
}

function hasField(shape: Shape, name: string): boolean {
  const at = kindOfShape(shape);
  return at.kind === 'object' && fieldsOf(at.object).some((field) => field.name === name);
}

/** Makes a test for a difference from `shape` at one path. */
function differsAt(shape: Shape, keys: readonly string[]): Test {
  const [key, ...rest] = keys;
  const at = kindOfShape(shape);
  if (key === undefined) return (value) => !conforms(shape)(value);
  if (at.kind === 'nullable') return differsAt(at.of, keys);
  if (at.kind === 'list') {
    const inner = differsAt(at.of, rest);
    return (value) => Array.isArray(value) && value.some(inner);
  }
  const field = at.kind === 'object' ? fieldsOf(at.object).find(({ name }) => name === key) : undefined;
  if (field === undefined) return () => true; // a union or variable keys: the difference is somewhere inside
  const inner = differsAt(field.shape, rest);
  return (value) => {
    if (!isObject(value)) return false;
    const inside = Object.hasOwn(value, key) ? value[key] : undefined;
    return inside === undefined ? rest.length === 0 && !field.optional : inner(inside);
  };
}
