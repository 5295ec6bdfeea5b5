import type { HintShape, Leaf, MapShape, NullableShape, ObjectShape, OneOfShape, Shape } from './Shape.ts';

/** A shape with its kind said. */
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
