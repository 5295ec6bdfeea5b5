import type { ObjectShape, Shape } from '../../contract/index.ts';

/** What a path leads to in rows of a shape. */
export type KindOfField =
  /** `open`: what is there isn't documented, so anything may be. */
  | { readonly kind: 'value' | 'object' | 'list' | 'open' }
  /** There is no such field; `names` are those there are. */
  | { readonly kind: 'missing'; readonly key: string; readonly names: readonly string[] }
  /** `[]` behind something that isn't a list. */
  | { readonly kind: 'no list' };

/** Follows keys, with `'[]'` for each element of a list, through a shape. */
export function kindOfField(shape: Shape, keys: readonly string[]): KindOfField {
  const [key, ...rest] = keys;
  if (typeof shape === 'string') {
    const word = shape.split(':')[0]!;
    if (word === 'object' || word === 'unknown' || word === 'array')
      return key === undefined && word !== 'unknown' ? { kind: word === 'array' ? 'list' : 'object' } : { kind: 'open' };
    if (key === undefined) return { kind: 'value' };
    return key === '[]' ? { kind: 'no list' } : { kind: 'missing', key, names: [] };
  }
  if (isList(shape)) {
    if (key === undefined) return { kind: 'list' };
    return key === '[]' ? kindOfField(shape[0], rest) : { kind: 'missing', key, names: [`[].${key}`] };
  }
  if ('$oneOf' in shape && typeof shape.$oneOf === 'object')
    return best((shape.$oneOf as readonly Shape[]).map((one) => kindOfField(one, keys)));
  if ('$hint' in shape) return hinted(kindOfField(shape.$hint as Shape, keys));
  if ('$nullable' in shape) return kindOfField(shape.$nullable, keys);
  if ('$map' in shape) {
    if (key === undefined) return { kind: 'object' };
    const known = '$known' in shape ? kindOfField(shape.$known, keys) : undefined;
    return known === undefined || known.kind === 'missing' ? { kind: 'open' } : known;
  }
  if (key === undefined) return { kind: 'object' };
  if (key === '[]') return { kind: 'no list' };
  const fields = shape as ObjectShape;
  const inner = Object.hasOwn(fields, key) ? fields[key] : Object.hasOwn(fields, `${key}?`) ? fields[`${key}?`] : undefined;
  return inner === undefined
    ? { kind: 'missing', key, names: Object.keys(fields).map((name) => name.replace(/\?$/, '')) }
    : kindOfField(inner, rest);
}

/** What isn't documented may be there under any name. */
function hinted(found: KindOfField): KindOfField {
  return found.kind === 'missing' || found.kind === 'no list' ? { kind: 'open' } : found;
}

/** One of several shapes: the field is there when one of them has it. */
function best(found: readonly KindOfField[]): KindOfField {
  const there = found.find(({ kind }) => kind !== 'missing' && kind !== 'no list');
  if (there !== undefined) return there;
  const [first] = found;
  if (first?.kind !== 'missing') return first ?? { kind: 'open' };
  return { ...first, names: [...new Set(found.flatMap((one) => (one.kind === 'missing' ? one.names : [])))] };
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
