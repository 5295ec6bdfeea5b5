import { ownValue } from '../../../operators/kit/ownValue.ts';
import { type MapShape, type ObjectShape, type OneOfShape, type Shape, fieldsOf, kindOfShape, leafOf } from '../Shape.ts';
import { shown } from '../shown.ts';
import { conforms, isObject, textsOf } from './conforms.ts';

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
