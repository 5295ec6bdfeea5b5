import { type Operation, keyOfRows } from './Operation.ts';
import { rowsAt } from '../../operators/walk/valueAt.ts';
import { rowShape } from './rowShape.ts';
import { kindOfShape, leafOf, type Shape } from './Shape.ts';
import { isObject } from './checkResponse/conforms.ts';

/** A list of objects in a response that is not read. */
export interface UnreadList {
  readonly list: string;
  readonly items: number;
}

/**
 * The longest undocumented list of objects at the top of `data` that has more entries than the rows at `path`: a hint
 * that the rows the user wants may be there. Checks each top-level field once.
 */
export function unreadList(operation: Operation, data: unknown, path: string | null): UnreadList | undefined {
  if (path === null || path === '' || typeof data !== 'object' || data === null) return undefined;
  const { response } = operation.spec;
  const fields = data as { readonly [field: string]: unknown };
  let most = rowsAt(data, path, keyOfRows(operation, path)).items.length;
  let found: UnreadList | undefined;
  for (const field of Object.keys(fields)) {
    const value = fields[field];
    if (!Array.isArray(value) || value.length <= most || field === path) continue;
    if (Object.hasOwn(response, field) || Object.hasOwn(response, `${field}?`)) continue;
    const first: unknown = value[0];
    if (typeof first !== 'object' || first === null || Array.isArray(first)) continue;
    most = value.length;
    found = { list: field, items: most };
  }
  return found;
}

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
