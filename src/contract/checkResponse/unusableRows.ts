import { rowShape } from '../rowShape.ts';
import { kindOfShape, leafOf } from '../kindOfShape.ts';
import type { Shape } from '../Shape.ts';
import { isObject } from './conforms.ts';

const none: readonly number[] = [];

/**
 * Indices of the rows that can't be used: not objects, in a list of documented objects. It looks at the rows alone, so
 * earlier responses change nothing. Rows that aren't documented may be anything.
 */
export function unusableRows(response: Shape, path: string | null, rows: readonly unknown[], keyed?: string): readonly number[] {
  if (rows.every(isObject)) return none;
  const shape = rowShape(response, path, keyed);
  return shape !== undefined && isOfObject(shape) ? rows.flatMap((row, index) => (isObject(row) ? [] : [index])) : none;
}

function isOfObject(shape: Shape): boolean {
  const at = kindOfShape(shape);
  if (at.kind === 'leaf') return leafOf(at.leaf).type === 'object';
  if (at.kind === 'nullable') return isOfObject(at.of);
  if (at.kind === 'oneOf') return at.union.$oneOf.every(isOfObject);
  return at.kind === 'object' || at.kind === 'map';
}
