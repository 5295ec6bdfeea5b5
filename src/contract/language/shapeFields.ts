import { inWords, nearestName } from '../../../operators/check/nearestName.ts';
import { byField, yes } from '../../../operators/options/fieldKinds.ts';
import { listOf, tableOf, text } from '../../../operators/options/kinds.ts';
import {
  type InnerOptions,
  OptionKind,
  checkValue,
  declareFields,
  optionError,
  type OptionSet,
} from '../../../operators/options/OptionSet.ts';
import { oneColumnOf } from '../columnsOf.ts';
import type { HintShape, MapShape, NullableShape, ObjectShape, OneOfShape, PlainWord, Shape } from '../Shape.ts';

/** The words of a leaf, and what they mean. Each may have `|null` behind it. */
export const leafWords: { readonly [word in PlainWord]: string } = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object whose fields nobody describes',
  array: 'a list whose entries nobody describes',
  unknown: 'anything',
  'number|string': 'a number or a text',
};
type DollarWord = keyof (OneOfShape & NullableShape & HintShape & MapShape);
/** The words that are fields of an object, and what they mean. */
export const dollarWords: { readonly [word in DollarWord]: string } = {
  $nullable: 'this shape, or null',
  $oneOf: 'one of these shapes',
  $by: 'beside `$oneOf`: the field that tells them apart. Without it, they are tried in order',
  $open: 'beside `$oneOf`: true if objects with other values of `$by` exist, too',
  $map: 'an object whose keys vary: the shape of its values',
  $known: 'beside `$map`: the fields that have their own shapes',
  $suffix: 'beside `$map`: keys that end like this have the shape `$twin`',
  $twin: 'beside `$map`: the shape of values whose keys end in `$suffix`',
  $hint: 'this shape probably: it gives types and columns, and is never checked',
};
const words = Object.keys(leafWords).flatMap((word) => [word, `${word}|null`]);

const inside: InnerOptions = { check: checkShape };

/** The shape of a response, or of a part of it. */
export function shape<V extends Shape>(): OptionKind<V, undefined> {
  const isShape = (value: unknown): boolean => typeof value === 'string' || (typeof value === 'object' && value !== null);
  return new OptionKind("a shape: a word such as 'string', an object, or [shape] for a list", isShape, undefined, { inside });
}

/** The objects that aren't plain objects, by the field that each of them has. */
const shapeKinds: { readonly [word in ShapeWord]: OptionSet } = {
  $oneOf: declareFields<OneOfShape>()({ $oneOf: listOf(shape<Shape>()).needed(), $by: text(), $open: yes() }),
  $nullable: declareFields<NullableShape>()({ $nullable: shape<Shape>().needed() }),
  $hint: declareFields<HintShape>()({ $hint: shape<Shape>().needed() }),
  $map: declareFields<MapShape>()({ $map: shape<Shape>().needed(), $known: shape<ObjectShape>(), $suffix: text(), $twin: shape<Shape>() }),
};
type ShapeWord = '$oneOf' | '$nullable' | '$hint' | '$map';
const fieldsOfObject = tableOf(shape<Shape>());
const specialObject = byField(shapeKinds);

/** Refuses what no reader of shapes knows. A leaf that is an unknown word would be read without end. */
function checkShape(caller: string, given: unknown, outer: string): void {
  const where = outer.slice(0, -1);
  if (typeof given === 'string') {
    const [word] = given.split(': ', 1);
    if (!words.includes(word!) && !/^[=~]./.test(word!))
      throw optionError(caller, where, `a word of shapes (${Object.keys(leafWords).join(', ')})`, word, words);
    return;
  }
  if (Array.isArray(given)) {
    if (given.length !== 1) throw optionError(caller, where, 'a list with the one shape of its entries', given);
    return checkValue(caller, shape(), given[0], `${where}[]`);
  }
  const object = given as object;
  const dollar = Object.keys(object).find((field) => field.startsWith('$') && nearestName(field, Object.keys(dollarWords)) !== undefined);
  const kind = dollar === undefined ? fieldsOfObject : specialObject;
  checkValue(caller, kind, object, where);
  if ('$oneOf' in object || Object.keys(object).some((field) => field.includes('.'))) checkColumns(caller, given as Shape, where);
}

/** Refuses two fields whose columns would have one name, as the values of one would be missing from files. */
function checkColumns(caller: string, row: Shape, where: string): void {
  const fields = oneColumnOf(row);
  if (fields === undefined) return;
  const [first, second] = fields.map((keys) => keys.toReversed().map(inWords).join(' of '));
  const [outer] = fields.find(({ length }) => length > 1)!;
  throw new RangeError(
    `${caller}: ${where}: ${first} and ${second} can't both be the column ${fields[0].join('.')}; describe ${inWords(outer!)} as 'object', which is one column`,
  );
}
