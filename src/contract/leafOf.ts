import type { Leaf } from './Shape.ts';

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
