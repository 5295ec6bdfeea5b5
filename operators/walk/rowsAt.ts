import { memoizePer } from '../kit/once.ts';
import { isPicked, pickIn, valueAt } from '../kit/path.ts';

/** The path of a list without what picks some of its entries: `items` of `items[type=organic]`. */
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

/** Columns that rows get from where they stand. */
export interface RowColumns {
  /** The rows are the members of an object, and their keys are this column. @default the rows are a list */
  readonly keyed?: string | undefined;
  /** Columns from what holds the list: the entry before `[]` in its path, else `data`. @default none */
  readonly outer?: OuterColumns | undefined;
  /** Columns that have other names than in the response, and where each is there. @default none */
  readonly columns?: { readonly [column: string]: string } | undefined;
}

/** What a description says of its rows besides their path. */
export interface RowPlace extends RowColumns {
  /** An object in place of the list is the one row. @default false */
  readonly one?: boolean | undefined;
}

/** Names of fields, which are names of columns too, or columns and where each is. */
export type OuterColumns = readonly string[] | { readonly [column: string]: string };

/** The columns, and where each is in what holds the list. */
export function outerColumns(outer: OuterColumns = {}): readonly (readonly [column: string, path: string])[] {
  return Array.isArray(outer)
    ? (outer as readonly string[]).map((path) => [path, path])
    : Object.entries(outer as Fields as { readonly [column: string]: string });
}

const absent: RowsAt = { list: 'absent', items: [] };

/**
 * The list at a path in `data`. '' is `data` itself. null: `data` is the one row. `children[].data`: what each entry of a list has
 * there, and if that is a list, its entries. `items[type=organic]`: the entries that have this value. An entry that isn't an object, such
 * as a text, becomes `{ value }`.
 */
export function rowsAt(data: unknown, path: string | null, place: RowPlace = {}): RowsAt {
  const { columns } = place;
  const found = foundRows(data, path, place);
  return columns === undefined ? found : { ...found, items: found.items.map((row) => (isFields(row) ? renamed(row, columns) : row)) };
}

/** Which fields move, and where to. */
const movesOf = memoizePer<NonNullable<RowPlace['columns']>, readonly { readonly path: string; readonly from: Keys; readonly to: Keys }[]>(
  (columns) => Object.entries(columns).map(([column, path]) => ({ path, from: path.split('.'), to: column.split('.') })),
);
type Keys = readonly string[];

/** A row with other names of columns. It is taken apart once: a copy of it for each column is most of what a page costs. */
function renamed(row: Fields, columns: NonNullable<RowPlace['columns']>): Fields {
  const moves = movesOf(columns);
  const values = moves.map(({ path }) => valueAt(row, path));
  const fields = new Map(Object.entries(row));
  for (const [nth, { from }] of moves.entries()) if (values[nth] !== undefined) put(fields, from, 0, undefined);
  for (const [nth, { to }] of moves.entries()) if (values[nth] !== undefined) put(fields, to, 0, values[nth]);
  return closed(fields);
}

/** Puts a value at a path of an object that is taken apart, behind all others, or takes it away if there is none. */
function put(fields: Map<string, unknown>, keys: Keys, at: number, value: unknown): void {
  const key = keys[at]!;
  let made = value;
  if (at < keys.length - 1) {
    const inside = fields.get(key);
    const inner = inside instanceof Map ? (inside as Map<string, unknown>) : new Map(isFields(inside) ? Object.entries(inside) : []);
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
  if (!isFields(value)) return absent;
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

/** The entries of a list at a path, or the value that is there in its place. */
function listAt(holder: unknown, path: string): readonly unknown[] {
  const value = path === '' ? holder : valueAt(holder, path);
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** What a row gets from what holds its list. */
function columnsOf(holder: unknown, outer: OuterColumns | undefined): Fields | undefined {
  if (outer === undefined) return undefined;
  return Object.fromEntries(outerColumns(outer).map(([column, path]) => [column, valueAt(holder, path) ?? null]));
}

function asRows(entries: readonly unknown[], outer?: Fields): RowsAt {
  if (outer === undefined && entries.every(isFields)) return { list: 'present', items: entries };
  const plain = new Set<unknown>();
  const items = entries.map((value) => {
    if (isFields(value)) return { ...outer, ...value };
    const row: PlainRow = { ...outer, value };
    plain.add(row);
    return row;
  });
  return { list: 'present', items, ...(plain.size > 0 && { plain }) };
}

/** The members of an object as rows. A row's own field of that name stays as it is. A member that isn't an object becomes `value`. */
function keyedRows(members: Fields, keyed: string, outer: Fields | undefined): readonly unknown[] {
  return Object.entries(members).map(([key, row]) => ({ ...outer, [keyed]: key, ...(isFields(row) ? row : { value: row }) }));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
