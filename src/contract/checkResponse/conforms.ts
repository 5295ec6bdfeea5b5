import { ownValue } from '../../../operators/kit/ownValue.ts';
import { type Leaf, type MapShape, type ObjectShape, type OneOfShape, type Shape, fieldsOf, kindOfShape, leafOf } from '../Shape.ts';

/** Whether a value has the shape that the test was made from. */
export type Test = (value: unknown) => boolean;
type Bag = { readonly [key: string]: unknown };

const tests = new Map<Shape, Test>();

/**
 * Makes a test for a shape out of closures. It only says yes or no. Nearly every response is a yes, and building paths would
 * cost more than comparing. `findIssues` says what is wrong.
 */
export function conforms(shape: Shape): Test {
  let test = tests.get(shape);
  if (test === undefined) {
    test = make(shape);
    tests.set(shape, test);
  }
  return test;
}

function make(shape: Shape): Test {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf':
      return leaf(at.leaf);
    case 'list':
      return list(conforms(at.of));
    case 'nullable':
      return orNull(conforms(at.of));
    case 'oneOf':
      return oneOf(at.union);
    case 'hint':
      return () => true;
    case 'map':
      return map(at.map);
    default:
      return object(at.object);
  }
}

const isString: Test = (value) => typeof value === 'string';
const leaves: { readonly [type: string]: Test } = {
  string: isString,
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  unknown: () => true,
  object: isObject,
  array: (value) => Array.isArray(value),
  'number|string': (value) => typeof value === 'number' || typeof value === 'string',
};

function leaf(shape: Leaf): Test {
  const { type, nullable, texts, open } = leafOf(shape);
  if (texts !== undefined && open !== true) {
    const only = new Set<unknown>(texts);
    return (value) => only.has(value);
  }
  const test = leaves[type]!;
  return nullable ? orNull(test) : test;
}

/** An object that isn't a list. */
export function isObject(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function orNull(test: Test): Test {
  return (value) => value === null || test(value);
}

function list(test: Test): Test {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (let i = 0; i < value.length; i++) if (!test(value[i])) return false;
    return true;
  };
}

function object(shape: ObjectShape): Test {
  const fields = fieldsOf(shape);
  const names = fields.map(({ name }) => name);
  const optional = fields.map((field) => field.optional);
  // Most of a response is text, so that test is done without a call.
  const fieldTests = fields.map((field) => conforms(field.shape));
  const text = fieldTests.map((test) => test === isString);
  // Inherited names, such as constructor, are fields only if they are the object's own.
  const inherited = names.map((name) => name in Object.prototype);
  return (value) => {
    if (!isObject(value)) return false;
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      const field = inherited[i]! && !Object.hasOwn(value, name) ? undefined : value[name];
      if (text[i]! && typeof field === 'string') continue;
      if (field === undefined ? !optional[i] : !fieldTests[i]!(field)) return false;
    }
    return true;
  };
}

function oneOf({ $oneOf, $by, $open }: OneOfShape): Test {
  const alternatives = $oneOf.map(conforms);
  if ($by === undefined) return (value) => alternatives.some((test) => test(value));
  const byText = new Map<unknown, Test>();
  $oneOf.forEach((alternative, i) => {
    for (const text of textsOf(alternative, $by)) byText.set(text, alternatives[i]!);
  });
  const others: Test = (value) => $open === true && typeof ownValue(value, $by) === 'string';
  return (value) => isObject(value) && (byText.get(ownValue(value, $by)) ?? others)(value);
}

/** The texts of the field that tells this alternative apart. */
export function textsOf(alternative: Shape, by: string): readonly string[] {
  const at = kindOfShape(alternative);
  const shape = at.kind === 'object' ? at.object[by] : undefined;
  return typeof shape === 'string' ? (leafOf(shape).texts ?? []) : [];
}

function map({ $map, $known = {}, $suffix, $twin = 'unknown' }: MapShape): Test {
  const fields = fieldsOf($known);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  const known = new Map(fields.map((field) => [field.name, conforms(field.shape)]));
  const [others, twins] = [conforms($map), conforms($twin)];
  return (value) => {
    if (!isObject(value)) return false;
    for (const key of Object.keys(value)) {
      const test = known.get(key) ?? ($suffix !== undefined && key.endsWith($suffix) ? twins : others);
      if (!test(value[key])) return false;
    }
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    return true;
  };
}
