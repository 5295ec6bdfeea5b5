import { getOrInsert, memoizePer } from '../../operators/kit/once.ts';
import { fieldsOf, kindOfShape, leafOf, type Shape, type ObjectShape } from './Shape.ts';
import type { Operation } from './Operation.ts';
import {
  listPath,
  type OuterColumns,
  outerColumns,
  type RowColumns,
  type RowPlace,
  rowsAt,
  type RowsAt,
} from '../../operators/walk/rowsAt.ts';
import { parsePath } from '../../operators/kit/path.ts';

/** What a path leads to in a shape. */
type FieldAt =
  /** `optional`: the documentation says that it may be absent. */
  | {
      readonly kind: 'value' | 'object' | 'list';
      readonly shape: Shape;
      readonly optional: boolean;
      /** It is a list, or a single object instead of a list. */
      readonly one?: true;
    }
  /** Nothing is documented there, so anything may be there. */
  | { readonly kind: 'open' }
  /** There is no such field. `names` are the fields that exist. */
  | { readonly kind: 'missing'; readonly key: string; readonly names: readonly string[] }
  /** `[]` follows something that isn't a list. */
  | { readonly kind: 'no list' };

/** Follows the keys of a path through a shape. `'[]'` stands for each element of a list. */
export function fieldAt(shape: Shape, keys: readonly string[], optional: boolean = false): FieldAt {
  const [key, ...rest] = keys;
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf': {
      const { type } = leafOf(at.leaf);
      const open = type === 'object' || type === 'array' || type === 'unknown';
      if (type === 'unknown' || (open && key !== undefined)) return { kind: 'open' };
      if (key === undefined) return { kind: type === 'array' ? 'list' : type === 'object' ? 'object' : 'value', shape, optional };
      return key === '[]' ? { kind: 'no list' } : { kind: 'missing', key, names: [] };
    }
    case 'list':
      if (key === undefined) return { kind: 'list', shape, optional };
      return key === '[]' || /^\d+$/.test(key) ? fieldAt(at.of, rest, key !== '[]') : { kind: 'missing', key, names: [`[].${key}`] };
    case 'oneOf':
      return best(at.union.$oneOf.map((one) => fieldAt(one, keys, optional)));
    case 'hint':
      return hinted(fieldAt(at.of, keys, optional));
    case 'nullable':
      return fieldAt(at.of, keys, true);
    case 'map': {
      if (key === undefined) return { kind: 'object', shape, optional };
      const known = at.map.$known === undefined ? undefined : fieldAt(at.map.$known, keys, optional);
      return known === undefined || known.kind === 'missing' ? { kind: 'open' } : known;
    }
    default: {
      if (key === undefined) return { kind: 'object', shape, optional };
      if (key === '[]') return { kind: 'no list' };
      const fields = fieldsOf(at.object);
      if (fields.length === 0) return { kind: 'open' };
      const field = fields.find(({ name }) => name === key);
      if (field === undefined) return { kind: 'missing', key, names: fields.map(({ name }) => name) };
      return fieldAt(field.shape, rest, optional || field.optional);
    }
  }
}

/** Whether the documentation says that the list of rows may be absent. */
export function isOptionalList(response: Shape, path: string): boolean {
  const found = fieldAt(response, path === '' ? [] : (listPath(path).split('[]', 1)[0] ?? '').split('.'));
  return 'optional' in found && found.optional;
}

/** What is found in a hint. Fields that a hint lacks may exist too. */
function hinted(found: FieldAt): FieldAt {
  if (found.kind === 'missing' || found.kind === 'no list') return { kind: 'open' };
  return 'shape' in found ? { ...found, shape: { $hint: found.shape } } : found;
}

/** What is found in one of several shapes. A field exists if one of them has it. */
function best(found: readonly FieldAt[]): FieldAt {
  const list = found.find(({ kind }) => kind === 'list');
  if (list !== undefined && found.some(({ kind }) => kind === 'object')) return { ...hinted(list), one: true } as FieldAt;
  const there = list ?? found.find(({ kind }) => kind !== 'missing' && kind !== 'no list');
  if (there !== undefined) return hinted(there);
  const [first] = found;
  if (first?.kind !== 'missing') return first ?? { kind: 'open' };
  return { ...first, names: [...new Set(found.flatMap((one) => (one.kind === 'missing' ? one.names : [])))] };
}

const rowPlaces = memoizePer<Operation, Map<string | null, RowPlace>>(() => new Map());

/** How to read the rows at a path of a response. `keyed`, `outer` and `columns` apply only to the operation's own rows. Cached. */
export function rowPlaceOf(operation: Operation, path: string | null): RowPlace {
  return getOrInsert(rowPlaces(operation), path, () => {
    const { response, rows: list, keyed, outer, columns } = operation.spec;
    const at = path === null ? undefined : fieldAt(response, keysOf(path));
    return { ...(path === list && { keyed, outer, columns }), one: at !== undefined && 'one' in at };
  });
}

/** The rows at a path of a response. */
export function rowsIn(operation: Operation, data: unknown, path: string | null): RowsAt {
  return rowsAt(data, path, rowPlaceOf(operation, path));
}

function keysOf(path: string): readonly string[] {
  return path === '' ? [] : (parsePath(listPath(path))?.keys ?? path.split('.'));
}

/**
 * The shape of the rows at a path. '': `response` is the list. null: `response` is the only row. undefined if rows aren't documented.
 */
export function rowShape(response: Shape, path: string | null, { keyed, outer, columns }: RowPlace = {}): Shape | undefined {
  const entry = entryShape(response, path, keyed);
  if (entry === undefined || path === null) return entry;
  const row = asRow(entry);
  const whole = outer === undefined ? row : withColumns(row, outerShape(response, path, outer));
  return columns === undefined ? whole : renamed(whole, columns);
}

/** The shape of a row with renamed columns. */
function renamed(row: Shape, columns: NonNullable<RowColumns['columns']>): Shape {
  const at = kindOfShape(row);
  if (at.kind === 'hint') return { $hint: renamed(at.of, columns) };
  if (at.kind === 'oneOf') return { ...at.union, $oneOf: at.union.$oneOf.map((one) => renamed(one, columns)) };
  if (at.kind !== 'object') return row;
  const moved = Object.entries(columns).flatMap(([column, path]) => {
    const found = fieldAt(at.object, keysOf(path));
    return 'shape' in found ? [{ column, path, shape: found.shape, optional: found.optional }] : [];
  });
  const rest = moved.reduce((fields, { path }) => shapeWith(fields, path.split('.')), at.object);
  return moved.reduce((fields, { column, shape, optional }) => shapeWith(fields, column.split('.'), shape, optional), rest);
}

/** The shape of an object with `shape` at a path, or without the field at this path if `shape` is undefined. */
function shapeWith(object: ObjectShape, [key = '', ...rest]: readonly string[], shape?: Shape, optional: boolean = false): ObjectShape {
  const known = fieldsOf(object).find(({ name }) => name === key);
  const others = Object.entries(object).filter(([field]) => field.replace(/\?$/, '') !== key);
  const inner = known === undefined ? undefined : kindOfShape(known.shape);
  const made = rest.length === 0 ? shape : shapeWith(inner?.kind === 'object' ? inner.object : {}, rest, shape, optional);
  const name = (rest.length === 0 ? optional : (known?.optional ?? optional)) ? `${key}?` : key;
  return Object.fromEntries(made === undefined ? others : [...others, [name, made]]);
}

/** The shape of the object that holds a list: the entry before the last `[]` of its path, else the data. */
export function holderShape(response: Shape, path: string): Shape {
  const end = path.lastIndexOf('[]');
  return (end < 0 ? response : entryShape(response, path.slice(0, end))) ?? 'unknown';
}

function outerShape(response: Shape, path: string, outer: OuterColumns): ObjectShape {
  const holder = holderShape(response, path);
  const columns = outerColumns(outer).map(([column, at]): [string, Shape] => {
    const found = fieldAt(holder, keysOf(at));
    return [column, 'shape' in found ? (found.optional ? { $nullable: found.shape } : found.shape) : 'unknown'];
  });
  return Object.fromEntries(columns);
}

function withColumns(row: Shape, columns: ObjectShape): Shape {
  const at = kindOfShape(row);
  switch (at.kind) {
    case 'object':
      return { ...columns, ...at.object };
    case 'hint':
      return { $hint: withColumns(at.of, columns) };
    case 'map':
      return { ...at.map, $known: { ...columns, ...at.map.$known } };
    case 'oneOf':
      return { ...at.union, $oneOf: at.union.$oneOf.map((one) => withColumns(one, columns)) };
    default:
      return row;
  }
}

/** The shape of an entry of a list as a row. An entry that isn't an object becomes the column `value`. */
export function asRow(entry: Shape): Shape {
  const at = kindOfShape(entry);
  switch (at.kind) {
    case 'leaf':
      return ['object', 'unknown'].includes(leafOf(at.leaf).type) ? entry : { value: entry };
    case 'list':
      return { value: entry };
    case 'nullable':
      return asRow(at.of) === at.of ? entry : { value: entry };
    case 'hint': {
      const row = asRow(at.of);
      return row === at.of ? entry : { $hint: row };
    }
    case 'oneOf': {
      const rows = at.union.$oneOf.map(asRow);
      return rows.every((row, index) => row === at.union.$oneOf[index]) ? entry : { ...at.union, $oneOf: rows };
    }
    default:
      return entry;
  }
}

/** The shape of an entry at the path of rows, before `asRow`. */
export function entryShape(response: Shape, path: string | null, keyed?: string): Shape | undefined {
  if (path === null) return response;
  const found = fieldAt(response, keysOf(path));
  if (found.kind === 'list') return elementOf(found.shape);
  if (found.kind === 'object' && keyed !== undefined) return memberOf(found.shape, keyed);
  return 'shape' in found && path.includes('[]') ? found.shape : undefined;
}

function elementOf(shape: Shape): Shape | undefined {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return at.of;
  const inner = at.kind === 'hint' ? elementOf(at.of) : undefined;
  return inner === undefined ? undefined : { $hint: inner };
}

/** The shape of an object's members as rows, with their key as a column. */
function memberOf(shape: Shape, keyed: string): Shape | undefined {
  const member = membersOf(shape);
  if (member === undefined) return undefined;
  const row = kindOfShape(member);
  if (row.kind === 'leaf') return { [keyed]: 'string', value: member };
  return row.kind === 'object' ? ({ [keyed]: 'string', ...row.object } as ObjectShape) : undefined;
}

function membersOf(shape: Shape): Shape | undefined {
  const at = kindOfShape(shape);
  return at.kind === 'map' ? at.map.$map : at.kind === 'object' ? fieldsOf(at.object)[0]?.shape : undefined;
}

/** Whether the members of the object at a path have a field with the name of the column for their key. */
export function hasOwnKey(response: Shape, path: string, keyed: string): boolean {
  const found = fieldAt(response, path === '' ? [] : (parsePath(path)?.keys ?? []));
  const member = found.kind === 'object' ? membersOf(found.shape) : undefined;
  if (member === undefined) return false;
  const row = kindOfShape(member);
  return row.kind === 'leaf' ? keyed === 'value' : row.kind === 'object' && fieldsOf(row.object).some(({ name }) => name === keyed);
}
