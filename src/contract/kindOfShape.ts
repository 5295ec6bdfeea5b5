import type { HintShape, Leaf, MapShape, NullableShape, ObjectShape, OneOfShape, Shape } from './Shape.ts';

export type KindOfShape =
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'oneOf'; readonly union: OneOfShape }
  | { readonly kind: 'nullable'; readonly of: Shape }
  | { readonly kind: 'hint'; readonly of: Shape }
  | { readonly kind: 'map'; readonly map: MapShape }
  | { readonly kind: 'object'; readonly object: ObjectShape };

/** Tells the kinds of shape apart, once and for all readers. */
export function kindOfShape(shape: Shape): KindOfShape {
  if (typeof shape === 'string') return { kind: 'leaf', leaf: shape };
  if (Array.isArray(shape)) return { kind: 'list', of: (shape as readonly [Shape])[0] };
  if ('$oneOf' in shape) return { kind: 'oneOf', union: shape as OneOfShape };
  if ('$nullable' in shape) return { kind: 'nullable', of: (shape as NullableShape).$nullable };
  if ('$hint' in shape) return { kind: 'hint', of: (shape as HintShape).$hint };
  if ('$map' in shape) return { kind: 'map', map: shape as MapShape };
  return { kind: 'object', object: shape as ObjectShape };
}

/** A leaf of a shape, taken apart. */
export interface LeafParts {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'unknown' | 'object' | 'array' | 'number|string';
  readonly nullable: boolean;
  /** Texts it has. */
  readonly texts?: readonly string[];
  /** Other texts exist, too. */
  readonly open?: boolean;
  readonly remark?: string;
}

/** Takes a leaf apart: `'integer|null: of the day'` is a nullable integer with a remark. */
export function leafOf(leaf: Leaf): LeafParts {
  const colon = leaf.indexOf(': ');
  const word = colon < 0 ? leaf : leaf.slice(0, colon);
  const remark = colon < 0 ? {} : { remark: leaf.slice(colon + 2) };
  if (word.startsWith('=') || word.startsWith('~')) {
    return { type: 'string', nullable: false, texts: word.slice(1).split('|'), open: word.startsWith('~'), ...remark };
  }
  const nullable = word.endsWith('|null');
  return { type: (nullable ? word.slice(0, -5) : word) as LeafParts['type'], nullable, ...remark };
}

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
