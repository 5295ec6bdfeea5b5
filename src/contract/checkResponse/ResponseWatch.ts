import { responseOf } from '../envelopeOf.ts';
import { fieldsOf, kindOfShape, type Shape } from '../Shape.ts';
import { type Operation, keyOfRows } from '../Operation.ts';
import { rowsAt } from '../../../operators/walk/valueAt.ts';
import { keyIssue, responseIssues } from './checkResponse.ts';
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

const nothingNew: readonly ResponseIssue[] = [];

/**
 * Compares responses with their documented shape as `checkResponse` does, but reports each issue of an operation once and then
 * counts it. A response with known issues costs little more than one without.
 */
export class ResponseWatch {
  readonly #known = new Map<Operation, Map<Shape, Known>>();

  /** The new issues in this response. */
  check(operation: Operation, data: unknown, query: object, rows?: string | null): readonly ResponseIssue[] {
    const { response, list } = responseOf(operation, query);
    const named = typeof rows === 'string' && rowsAt(data, rows, keyOfRows(operation, rows)).list === 'absent';
    const isOdd = named || keyIssue(operation, data, rows === undefined ? list : rows) !== undefined;
    if (!isOdd && conforms(response)(data)) return nothingNew;
    const known = this.#knownOf(operation, response);
    if (!isOdd && known.seen.size > 0 && conforms(known.relaxed)(data)) {
      for (const seen of known.seen.values()) if (seen.differs(data)) seen.responses++;
      return nothingNew;
    }
    return note(known, response, responseIssues(operation, data, query, rows));
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
  const unseen: ResponseIssue[] = [];
  for (const issue of issues) {
    const seen = known.seen.get(issue.path);
    if (seen === undefined) unseen.push(issue);
    else seen.responses++;
  }
  for (const issue of unseen) {
    const keys = keysOf(issue.path);
    known.seen.set(issue.path, { issue, differs: differsAt(response, keys), responses: 1 });
    // Unusable elements are looked for each time.
    if (keys.at(-1) !== '[]') known.relaxed = relax(known.relaxed, keys);
  }
  return unseen;
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

/** What isn't a list, and what isn't an object. */
const noList: readonly Shape[] = ['string', 'number', 'boolean', 'object'];
const noObject: readonly Shape[] = ['string', 'number', 'boolean', 'array'];

/**
 * A copy of a shape that accepts other things at a path too. Where a list or an object belongs, anything else is accepted,
 * but what is inside such a list or object is still compared.
 */
function relax(shape: Shape, keys: readonly string[]): Shape {
  const [key, ...rest] = keys;
  const at = kindOfShape(shape);
  if (at.kind === 'leaf' || at.kind === 'hint') return 'unknown';
  if (at.kind === 'nullable') return { $nullable: relax(at.of, keys) };
  if (key === undefined) return at.kind === 'oneOf' ? 'unknown' : orElse(shape, at.kind === 'list' ? noList : noObject);
  if (at.kind === 'list') return key === '[]' ? [relax(at.of, rest)] : 'unknown';
  if (at.kind === 'map') return key === '*' && at.map.$suffix === undefined ? { ...at.map, $map: relax(at.map.$map, rest) } : 'unknown';
  if (at.kind === 'oneOf') {
    if (key === at.union.$by) return { ...at.union, $open: true };
    return { ...at.union, $oneOf: at.union.$oneOf.map((one) => (leadsInto(one, key) ? relax(one, keys) : one)) };
  }
  const fields = fieldsOf(at.object).map(({ name, optional, shape: field }): [string, Shape] => {
    if (name !== key) return [optional ? `${name}?` : name, field];
    return [optional || rest.length === 0 ? `${name}?` : name, relax(field, rest)];
  });
  return Object.fromEntries(fields);
}

/** A shape, or one of `others`, or null. */
function orElse(shape: Shape, others: readonly Shape[]): Shape {
  return { $nullable: { $oneOf: [shape, ...others] } };
}

function leadsInto(shape: Shape, key: string): boolean {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return key === '[]';
  return at.kind === 'map' || (at.kind === 'object' && fieldsOf(at.object).some((field) => field.name === key));
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
