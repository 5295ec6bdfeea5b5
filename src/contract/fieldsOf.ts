import type { ObjectShape, Shape } from './Shape.ts';

/** A field of an object, taken apart. */
export interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
}

const known = new WeakMap<ObjectShape, readonly Field[]>();

/** The fields of an object in documented order: `'phone?'` is the field `phone`, which may be absent. */
export function fieldsOf(shape: ObjectShape): readonly Field[] {
  let fields = known.get(shape);
  if (fields === undefined) {
    fields = Object.entries(shape).map(([key, value]) => {
      const optional = key.endsWith('?');
      return { name: optional ? key.slice(0, -1) : key, optional, shape: value };
    });
    known.set(shape, fields);
  }
  return fields;
}
