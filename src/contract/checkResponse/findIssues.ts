import { isObject, ownValue } from '../../../operators/kit/ownValue.ts';
import { shown } from '../Operation.ts';
import { fieldsOf, kindOfShape, type Leaf, leafOf, type MapShape, type ObjectShape, type OneOfShape, type Shape } from '../Shape.ts';

/** A difference between a response and its documented shape. */
export interface ResponseIssue {
  /** The dotted path in `data`. `[]` stands for any element of a list, `*` for any key of an object with variable keys. */
  readonly path: string;
  readonly message: string;
}

type Bag = { readonly [key: string]: unknown };

export function conforms(shape: Shape, value: unknown): boolean {
  return findIssues(shape, value, 1).length === 0;
}

/** Where `value` differs from `shape`: each path once, at most `limit` of them. */
export function findIssues(shape: Shape, value: unknown, limit: number): readonly ResponseIssue[] {
  const issues = new Map<string, ResponseIssue>();
  walk(shape, value, '');
  return [...issues.values()];

  function report(path: string, expected: string, came: unknown): void {
    if (!issues.has(path)) issues.set(path, { path, message: `expected ${expected}, got ${shown(came)}` });
  }

  function walk(shape: Shape, value: unknown, path: string, whole: Shape = shape): void {
    if (issues.size >= limit) return;
    const at = kindOfShape(shape);
    switch (at.kind) {
      case 'leaf':
        return fits(at.leaf, value) ? undefined : report(path, shapeText(whole), value);
      case 'hint':
        return;
      case 'nullable':
        return value === null ? undefined : walk(at.of, value, path, typeof value === 'object' ? at.of : whole);
      case 'list':
        if (!Array.isArray(value)) return report(path, shapeText(whole), value);
        for (const element of value) walk(at.of, element, `${path}[]`);
        return;
      case 'object':
        return isObject(value) ? fields(at.object, value, path) : report(path, shapeText(whole), value);
      case 'map':
        return isObject(value) ? map(at.map, value, path) : report(path, shapeText(whole), value);
      default:
        return oneOf(at.union, value, path, whole);
    }
  }

  function fields(shape: ObjectShape, value: Bag, path: string): void {
    for (const { name, optional, shape: field } of fieldsOf(shape)) {
      const at = path === '' ? name : `${path}.${name}`;
      const inside = ownValue(value, name);
      if (inside !== undefined) walk(field, inside, at);
      else if (!optional && issues.size < limit) report(at, shapeText(field), undefined);
    }
  }

  // Variable keys are data, so the path has `*` instead.
  function map({ $map, $known = {}, $suffix, $twin = 'unknown' }: MapShape, value: Bag, path: string): void {
    fields($known, value, path);
    const known = new Set(fieldsOf($known).map(({ name }) => name));
    for (const key of Object.keys(value)) {
      if (known.has(key)) continue;
      const twin = $suffix !== undefined && key.endsWith($suffix);
      walk(twin ? $twin : $map, value[key], `${path}.*${twin ? $suffix : ''}`);
    }
  }

  function oneOf({ $oneOf, $by, $open }: OneOfShape, value: unknown, path: string, whole: Shape): void {
    if ($by === undefined && $oneOf.some((shape) => conforms(shape, value))) return;
    if (!isObject(value)) return report(path, shapeText(whole), value);
    if ($by === undefined) return walk(closest($oneOf, value), value, path);
    const text = ownValue(value, $by);
    const alternative = $oneOf.find((shape) => typeof text === 'string' && textsOf(shape, $by).includes(text));
    if (alternative !== undefined) return walk(alternative, value, path);
    if ($open !== true || typeof text !== 'string')
      report(`${path}.${$by}`, `one of ${$oneOf.flatMap((shape) => textsOf(shape, $by)).join(', ')}`, text);
  }
}

function fits(leaf: Leaf, value: unknown): boolean {
  const { type, nullable, texts, open } = leafOf(leaf);
  if (value === null) return nullable || type === 'unknown';
  if (texts !== undefined && open !== true) return texts.includes(value as string);
  switch (type) {
    case 'unknown':
      return true;
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'number|string':
      return typeof value === 'number' || typeof value === 'string';
    default:
      return typeof value === type;
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

/** The texts that the field `by` has in this alternative. */
function textsOf(alternative: Shape, by: string): readonly string[] {
  const at = kindOfShape(alternative);
  const shape = at.kind === 'object' ? at.object[by] : undefined;
  return typeof shape === 'string' ? (leafOf(shape).texts ?? []) : [];
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
