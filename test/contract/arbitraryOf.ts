import * as fc from 'fast-check';
import { fieldsOf, kindOfShape, leafOf, type ObjectShape, type Shape } from '../../src/contract/index.ts';

/** Any value of a shape, with the text, the gaps and the unknown extras that real responses have. */
export function arbitraryOf(shape: Shape): fc.Arbitrary<unknown> {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf':
      return leaf(at.leaf);
    case 'list':
      return fc.array(arbitraryOf(at.of), { maxLength: 3 });
    case 'hint':
      return fc.anything();
    case 'nullable':
      return fc.option(arbitraryOf(at.of), { nil: null });
    case 'oneOf':
      return fc.oneof(...at.union.$oneOf.map(arbitraryOf));
    case 'map': {
      const { $map, $known = {}, $suffix = '', $twin } = at.map;
      const known = fieldsOf($known).map(({ name }) => name);
      const key = fc.string({ minLength: 1 }).filter((text) => !known.includes(text) && ($suffix === '' || !text.endsWith($suffix)));
      const twins =
        $twin === undefined
          ? fc.constant({})
          : fc.dictionary(
              key.map((text) => text + $suffix),
              arbitraryOf($twin),
              { maxKeys: 2 },
            );
      return fc
        .tuple(fc.dictionary(key, arbitraryOf($map), { maxKeys: 3 }), twins, object($known, false))
        .map(([others, doubles, own]) => ({ ...others, ...doubles, ...own }));
    }
    default:
      return object(at.object, true);
  }
}

function object(shape: ObjectShape, extras: boolean): fc.Arbitrary<object> {
  const fields = fieldsOf(shape);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  const own = fc.record(Object.fromEntries(fields.map((field) => [field.name, arbitraryOf(field.shape)])), { requiredKeys: required });
  // JSON.parse makes `__proto__` an ordinary field, as a response's would be.
  const extra = fc.constantFrom('{}', '{"__proto__":{"title":1}}', '{"constructor":1,"undocumented":[1]}');
  return extras ? fc.tuple(extra, own).map(([text, fields]) => Object.assign(JSON.parse(text) as object, fields)) : own;
}

function leaf(shape: Extract<Shape, string>): fc.Arbitrary<unknown> {
  const { type, nullable, texts, open } = leafOf(shape);
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '1.2K', '=1+1', 'a\nb'));
  const values = {
    string: texts === undefined ? text : open === true ? fc.oneof(fc.constantFrom(...texts), text) : fc.constantFrom(...texts),
    integer: fc.integer(),
    number: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    boolean: fc.boolean(),
    unknown: fc.jsonValue(),
    object: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
    array: fc.array(fc.jsonValue(), { maxLength: 2 }),
    'number|string': fc.oneof(fc.integer(), text),
  };
  return nullable ? fc.option(values[type], { nil: null }) : values[type];
}
