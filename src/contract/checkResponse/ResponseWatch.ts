import { madeIn } from '../../../operators/kit/once.ts';
import { responseOf } from '../envelopeOf.ts';
import { fieldsOf, kindOfShape, type Shape, type MapShape, type ObjectShape, type OneOfShape, leafOf } from '../Shape.ts';
import { type Operation, shown } from '../Operation.ts';
import { outerColumns, rowsAt, valueAt } from '../../../operators/walk/valueAt.ts';
import { conforms, isObject, type Test, textsOf } from './conforms.ts';
import { isOptionalList, rowPlaceOf, rowsIn } from '../fieldAt.ts';
import { listsIn, unusableRows } from '../lackOf.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';

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
    const named = typeof rows === 'string' && rowsIn(operation, data, rows).list === 'absent';
    const isOdd = named || lostIssue(operation, data, rows === undefined ? list : rows) !== undefined;
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
    const shapes = madeIn(this.#known, operation, () => new Map<Shape, Known>());
    return madeIn(shapes, response, () => ({ relaxed: response, seen: new Map() }));
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
    badRows: unusableRows(response, path, rowsIn(operation, data, path)),
  };
}

/** The differences alone. */
export function responseIssues(operation: Operation, data: unknown, query?: object, rows?: string | null): readonly ResponseIssue[] {
  const { response, list } = responseOf(operation, query);
  const path = rows === undefined ? list : rows;
  const absent = path !== null && isObject(data) && isMissing(operation, response, data, path, rows !== undefined);
  const lost = lostIssue(operation, data, path);
  if (!absent && lost === undefined && conforms(response)(data)) return [];
  const issues = [...(lost === undefined ? [] : [lost]), ...findIssues(response, data, maxIssues)].slice(0, maxIssues);
  if (!absent) return issues;
  const at = issues.findIndex((issue) => issue.path === path);
  const lists = listsIn(data).slice(0, maxLists).map(({ list }) => list).join(', '); // prettier-ignore
  const message = `expected a list, got nothing${lists && `. Lists in this response: ${lists}`}`;
  if (at >= 0 || issues.length < maxIssues) issues.splice(at < 0 ? issues.length : at, 1, { path, message });
  return issues;
}

/** What rows don't get, because they have such a column of their own: their keys, or columns of what holds them. */
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

/** Whether an expected list is missing: one that was named, or a documented one. */
function isMissing(operation: Operation, response: Shape, data: object, path: string, named: boolean): boolean {
  if (rowsIn(operation, data, path).list === 'present') return false;
  if (named) return true;
  if (operation.spec.listUndocumented === true) return false;
  return !isOptionalList(response, path);
}

/** Where a response doesn't match its documented shape. */
export interface ResponseIssue {
  /** The dotted path in `data`. `[]` stands for any element of a list, `*` for any key of an object with variable keys. */
  readonly path: string;
  readonly message: string;
}

type Bag = { readonly [key: string]: unknown };

/** Where `value` differs from `shape`: each path once, at most `most` of them. */
export function findIssues(shape: Shape, value: unknown, limit: number): readonly ResponseIssue[] {
  const issues = new Map<string, ResponseIssue>();
  walk(shape, value, '');
  return [...issues.values()];

  function report(path: string, expected: string, came: unknown): void {
    if (issues.size < limit && !issues.has(path)) issues.set(path, { path, message: `expected ${expected}, got ${shown(came)}` });
  }

  function walk(shape: Shape, value: unknown, path: string): void {
    if (issues.size >= limit || conforms(shape)(value)) return;
    const at = kindOfShape(shape);
    if (at.kind === 'nullable' && typeof value === 'object') walk(at.of, value, path);
    else if (at.kind === 'list' && Array.isArray(value)) for (const element of value) walk(at.of, element, `${path}[]`);
    else if (at.kind === 'object' && isObject(value)) fields(at.object, value, path);
    else if (at.kind === 'map' && isObject(value)) map(at.map, value, path);
    else if (at.kind === 'oneOf' && isObject(value)) oneOf(at.union, value, path);
    else report(path, shapeText(shape), value);
  }

  function fields(shape: ObjectShape, value: Bag, path: string): void {
    for (const { name, optional, shape: field } of fieldsOf(shape)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (Object.hasOwn(value, name) && value[name] !== undefined) walk(field, value[name], at);
      else if (!optional) report(at, shapeText(field), undefined);
    }
  }

  // Variable keys are data, so they don't become part of a path.
  function map({ $map, $known = {}, $suffix, $twin = 'unknown' }: MapShape, value: Bag, path: string): void {
    fields($known, value, path);
    const known = new Set(fieldsOf($known).map(({ name }) => name));
    for (const key of Object.keys(value)) {
      if (known.has(key)) continue;
      const twin = $suffix !== undefined && key.endsWith($suffix);
      walk(twin ? $twin : $map, value[key], `${path}.*${twin ? $suffix : ''}`);
    }
  }

  function oneOf({ $oneOf, $by }: OneOfShape, value: Bag, path: string): void {
    if ($by === undefined) {
      walk(closest($oneOf, value), value, path);
      return;
    }
    const text = ownValue(value, $by);
    const alternative = $oneOf.find((shape) => typeof text === 'string' && textsOf(shape, $by).includes(text));
    if (alternative !== undefined) walk(alternative, value, path);
    else report(`${path}.${$by}`, `one of ${$oneOf.flatMap((shape) => textsOf(shape, $by)).join(', ')}`, text);
  }
}

/** The alternative that shares the most fields with the value. */
function closest(alternatives: readonly Shape[], value: Bag): Shape {
  let [best, most] = [alternatives[0]!, -1];
  for (const alternative of alternatives) {
    const at = kindOfShape(alternative);
    const held = at.kind === 'object' ? fieldsOf(at.object).filter(({ name }) => Object.hasOwn(value, name)).length : 0;
    if (held > most) [best, most] = [alternative, held];
  }
  return best;
}

const words = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  unknown: 'something',
  object: 'an object',
  array: 'a list',
  'number|string': 'a number or a text',
} as const;

/** A shape in words that follow "expected". */
export function shapeText(shape: Shape): string {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return 'a list';
  if (at.kind === 'nullable') return `${shapeText(at.of)} or null`;
  if (at.kind === 'oneOf') return [...new Set(at.union.$oneOf.map(shapeText))].join(' or ');
  if (at.kind === 'hint') return 'something';
  if (at.kind !== 'leaf') return 'an object';
  const { type, nullable, texts, open } = leafOf(at.leaf);
  if (texts !== undefined && open !== true) return texts.length === 1 ? `"${texts[0]}"` : `one of ${texts.join(', ')}`;
  return nullable ? `${words[type]} or null` : words[type];
}
