import { type Operation, keyOfRows } from './Operation.ts';
import { rowsAt } from '../../operators/walk/valueAt.ts';
import { fieldAt } from './fieldAt.ts';
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
 * that the rows the user wants may be there. Checks each top-level field once. If there is no list at `path`, it also looks in
 * the objects below.
 */
export function unreadList(operation: Operation, data: unknown, path: string | null): UnreadList | undefined {
  if (path === null || path === '' || typeof data !== 'object' || data === null) return undefined;
  const read = rowsAt(data, path, keyOfRows(operation, path));
  const isUnread = ({ list, items }: UnreadList): boolean =>
    items > read.items.length && list !== path && fieldAt(operation.spec.response, list.split('.')).kind !== 'list';
  const lists = listsIn(data, '', read.list === 'absent' ? 1 : deepest).filter(isUnread);
  return lists.toSorted((one, other) => other.items - one.items)[0];
}

const deepest = 3;

/** The lists of objects in `data` and in its objects, by path. Lists in lists are left out. */
export function listsIn(data: object, above: string = '', depth: number = 1): readonly UnreadList[] {
  return Object.entries(data).flatMap(([field, value]: [string, unknown]) => {
    const list = above + field;
    if (Array.isArray(value)) return isObject(value[0]) ? [{ list, items: value.length }] : [];
    return isObject(value) && depth < deepest ? listsIn(value, `${list}.`, depth + 1) : [];
  });
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
