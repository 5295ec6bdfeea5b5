import { getOrInsert, memoizePer } from '../../operators/kit/once.ts';
import { fieldsOf, kindOfShape, leafOf, type LeafParts, type Shape } from './Shape.ts';
import type { Operation } from './Operation.ts';
import { rowPlaceOf, rowShape } from './fieldAt.ts';
import type { OriginColumn } from '../../operators/rowOrigin.ts';

/** One column of a table of rows. */
export interface Column extends OriginColumn {
  /** What it means, if documented. */
  readonly about?: string;
}

const columnsByList = memoizePer<Operation, Map<string | null, readonly Column[]>>(() => new Map());

/**
 * The columns of a table of an operation's rows, in documented order. Nested objects become dotted columns. Lists and objects with
 * variable keys are JSON. `list` names another list of the response. null: the response itself. If rows are undocumented, there are no
 * columns. The result is made once and shared.
 */
export function columnsOf(operation: Operation, list: string | null = operation.spec.rows): readonly Column[] {
  return getOrInsert(columnsByList(operation), list, () => {
    const shape = rowShape(operation.spec.response, list, rowPlaceOf(operation, list));
    return shape === undefined ? [] : merge(below(shape, [])).filter(({ keys }) => keys.length > 0);
  });
}

/** Two fields of a row whose columns would have the same name, because a key with dots looks like the path of another field. */
export function oneColumnOf(row: Shape): readonly [readonly string[], readonly string[]] | undefined {
  const seen = new Map<string, readonly string[]>();
  for (const { path, keys } of below(row, [])) {
    const other = seen.get(path);
    if (other?.some((key, depth) => key !== keys[depth])) return [other, keys];
    seen.set(path, keys);
  }
  return undefined;
}

function below(shape: Shape, keys: readonly string[]): readonly Column[] {
  const at = kindOfShape(shape);
  if (at.kind === 'object') return fieldsOf(at.object).flatMap((field) => below(field.shape, [...keys, field.name]));
  if (at.kind === 'nullable' || at.kind === 'hint') return below(at.of, keys);
  if (at.kind === 'oneOf') return at.union.$oneOf.flatMap((alternative) => below(alternative, keys));
  if (at.kind !== 'leaf') return [{ path: keys.join('.'), keys, type: 'json' }];
  const leaf = leafOf(at.leaf);
  return [{ path: keys.join('.'), keys, type: typeOf(leaf), ...(leaf.remark === undefined ? {} : { about: leaf.remark }) }];
}

function typeOf({ type, remark = '' }: LeafParts): Column['type'] {
  if (type === 'unknown' || type === 'object' || type === 'array') return 'json';
  if (type === 'string' && remark.startsWith('ISO 8601')) return 'timestamp';
  if (type === 'string' && remark.startsWith('YYYY-MM-DD')) return 'date';
  return type === 'number|string' ? 'string' : type;
}

/** Keeps each path once, where it occurs first. Columns of two types become text if both types are plain values, else JSON. */
function merge(columns: readonly Column[]): readonly Column[] {
  const merged = new Map<string, Column>();
  for (const column of columns) {
    const same = merged.get(column.path);
    if (same === undefined) merged.set(column.path, column);
    else if (same.type !== column.type)
      merged.set(column.path, { ...same, type: same.type === 'json' || column.type === 'json' ? 'json' : 'string' });
  }
  return [...merged.values()];
}

/** The dotted paths of fields that change by themselves, because they hold a relative time such as `2 days ago`. */
export function volatileFields(shape: Shape, before = ''): readonly string[] {
  const at = kindOfShape(shape);
  if (at.kind === 'nullable') return volatileFields(at.of, before);
  if (at.kind !== 'object') return [];
  return fieldsOf(at.object).flatMap(({ name, shape: inner }) => {
    const kind = kindOfShape(inner);
    if (kind.kind === 'leaf') return leafOf(kind.leaf).remark === 'relative text' ? [`${before}${name}`] : [];
    return volatileFields(inner, `${before}${name}.`);
  });
}
