import { memoizePer } from '../kit/once.ts';
import { isObject } from '../kit/ownValue.ts';
import { isPicked, pickIn, valueAt } from '../kit/path.ts';

/** The path of a list without the condition on its entries: `items` for `items[type=organic]`. */
export function listPath(path: string): string {
  const picked = pickIn(path);
  return picked === undefined || picked.rest !== undefined ? path : picked.list;
}

/** The rows of a response, and whether their list was present. A missing list is not the same as an empty one. */
export interface RowsAt {
  readonly list: 'present' | 'absent';
  readonly items: readonly unknown[];
  /** How many entries the outer list has, where rows are inside of entries. @default the rows are the entries */
  readonly entries?: number;
  /** The rows that were no objects: each is `{ value }`. @default none */
  readonly plain?: ReadonlySet<unknown>;
}

/** A row that was no object in its list. */
export interface PlainRow {
  readonly value: unknown;
}

interface Fields {
  readonly [field: string]: unknown;
}

/** Columns that rows get from what is around them in the response. */
export interface RowColumns {
  /** The rows are the members of an object, and their keys are this column. @default the rows are a list */
  readonly keyed?: string | undefined;
  /** Columns from the object that contains the list: the entry before `[]` in its path, else `data`. @default none */
  readonly outer?: OuterColumns | undefined;
  /** Columns that are called differently in the response, and the path of each there. @default none */
  readonly columns?: { readonly [column: string]: string } | undefined;
}

/** What a description says about its rows besides their path. */
export interface RowPlace extends RowColumns {
  /** If there is an object instead of a list, it is the only row. @default false */
  readonly one?: boolean | undefined;
}

/** Field names that are also the column names, or columns with the path of each. */
export type OuterColumns = readonly string[] | { readonly [column: string]: string };

/** The columns with the path of each in the object that contains the list. */
export function outerColumns(outer: OuterColumns = {}): readonly (readonly [column: string, path: string])[] {
  return Array.isArray(outer)
    ? (outer as readonly string[]).map((path) => [path, path])
    : Object.entries(outer as Fields as { readonly [column: string]: string });
}

const absent: RowsAt = { list: 'absent', items: [] };

/**
 * The rows at a path in `data`. '' is `data` itself. null: `data` is the only row. `children[].data`: the `data` of each entry of
 * `children`, or its entries if it is a list. `items[type=organic]`: the entries that have this value. An entry that isn't an object, such
 * as a text, becomes `{ value }`.
 */
export function rowsAt(data: unknown, path: string | null, place: RowPlace = {}): RowsAt {
  const { columns } = place;
  const found = foundRows(data, path, place);
  return columns === undefined ? found : { ...found, items: found.items.map((row) => (isObject(row) ? renamed(row, columns) : row)) };
}

/** Which fields move, and where to. */
const movesOf = memoizePer<NonNullable<RowPlace['columns']>, readonly { readonly path: string; readonly from: Keys; readonly to: Keys }[]>(
  (columns) => Object.entries(columns).map(([column, path]) => ({ path, from: path.split('.'), to: column.split('.') })),
);
type Keys = readonly string[];

/** A row with its columns renamed. One copy for all columns: a copy for each would be most of what a page costs. */
function renamed(row: Fields, columns: NonNullable<RowPlace['columns']>): Fields {
  const moves = movesOf(columns);
  const values = moves.map(({ path }) => valueAt(row, path));
  const fields = new Map(Object.entries(row));
  for (const [nth, { from }] of moves.entries()) if (values[nth] !== undefined) put(fields, from, 0, undefined);
  for (const [nth, { to }] of moves.entries()) if (values[nth] !== undefined) put(fields, to, 0, values[nth]);
  return closed(fields);
}

/** Puts a value at a path, after all other fields. undefined removes the field. Objects on the path become Maps, until `closed`. */
function put(fields: Map<string, unknown>, keys: Keys, at: number, value: unknown): void {
  const key = keys[at]!;
  let made = value;
  if (at < keys.length - 1) {
    const inside = fields.get(key);
    const inner = inside instanceof Map ? (inside as Map<string, unknown>) : new Map(isObject(inside) ? Object.entries(inside) : []);
    put(inner, keys, at + 1, value);
    made = inner;
  }
  fields.delete(key);
  if (made !== undefined) fields.set(key, made);
}

function closed(fields: ReadonlyMap<string, unknown>): Fields {
  return Object.fromEntries(Array.from(fields, ([key, value]) => [key, value instanceof Map ? closed(value) : value]));
}

function foundRows(data: unknown, path: string | null, { keyed, outer, one }: RowPlace): RowsAt {
  if (path === null) return { list: 'present', items: [data] };
  if (path.includes('[]')) return nestedRows(data, path, outer);
  const picked = listPath(path) === path ? undefined : pickIn(path)!;
  const value = path === '' ? data : valueAt(data, listPath(path));
  if (Array.isArray(value)) return asRows(picked === undefined ? value : value.filter(isPicked(picked)), columnsOf(data, outer));
  if (!isObject(value)) return absent;
  if (keyed !== undefined) return { list: 'present', items: keyedRows(value, keyed, columnsOf(data, outer)) };
  return one === true ? asRows([value], columnsOf(data, outer)) : absent;
}

function nestedRows(data: unknown, path: string, outer: OuterColumns | undefined): RowsAt {
  const [first = '', ...inner] = path.split('[]').map((part) => part.replace(/^\./, ''));
  const last = inner.pop()!;
  const list = first === '' ? data : valueAt(data, first);
  if (!Array.isArray(list)) return absent;
  const holders = inner.reduce<readonly unknown[]>((entries, keys) => entries.flatMap((entry) => listAt(entry, keys)), list);
  const entries = list.length;
  if (outer === undefined) return { ...asRows(holders.flatMap((holder) => listAt(holder, last))), entries };
  const rows = holders.map((holder) => asRows(listAt(holder, last), columnsOf(holder, outer)));
  const plain = new Set(rows.flatMap((each) => [...(each.plain ?? [])]));
  return { list: 'present', items: rows.flatMap(({ items }) => items), entries, ...(plain.size > 0 && { plain }) };
}

/** The entries of the list at a path. A value that isn't a list counts as one entry. */
function listAt(holder: unknown, path: string): readonly unknown[] {
  const value = path === '' ? holder : valueAt(holder, path);
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** The columns that rows get from the object that contains their list. */
function columnsOf(holder: unknown, outer: OuterColumns | undefined): Fields | undefined {
  if (outer === undefined) return undefined;
  return Object.fromEntries(outerColumns(outer).map(([column, path]) => [column, valueAt(holder, path) ?? null]));
}

function asRows(entries: readonly unknown[], outer?: Fields): RowsAt {
  if (outer === undefined && entries.every(isObject)) return { list: 'present', items: entries };
  const plain = new Set<unknown>();
  const items = entries.map((value) => {
    if (isObject(value)) return { ...outer, ...value };
    const row: PlainRow = { ...outer, value };
    plain.add(row);
    return row;
  });
  return { list: 'present', items, ...(plain.size > 0 && { plain }) };
}

/** The members of an object as rows, with their keys as the column `keyed`. A row's own field of that name goes before. */
function keyedRows(members: Fields, keyed: string, outer: Fields | undefined): readonly unknown[] {
  return Object.entries(members).map(([key, row]) => ({ ...outer, [keyed]: key, ...(isObject(row) ? row : { value: row }) }));
}
