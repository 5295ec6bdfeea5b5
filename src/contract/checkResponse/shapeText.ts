import type { Shape } from '../Shape.ts';
import { kindOfShape, leafOf } from '../kindOfShape.ts';

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
