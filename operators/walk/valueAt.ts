import { ownValue } from '../kit/ownValue.ts';

/** A part of a path that picks an entry of a list by one of its fields: `link[relation=next].url`. */
const pick = /^([^[\]]+)\[([^=[\]]+)=([^[\]]+)\](?:\.(.+))?$/;

/** What stands before an entry that is picked, the field and the value that pick it, and what follows. */
export interface Pick {
  readonly list: string;
  readonly field: string;
  readonly value: string;
  readonly rest: string | undefined;
}

/** The first part of a path that picks an entry. undefined: there is none. */
export function pickIn(path: string): Pick | undefined {
  const [, list, field, value, rest] = pick.exec(path) ?? [];
  return list === undefined ? undefined : { list, field: field!, value: value!, rest };
}

/**
 * The value at a dotted path, or undefined if there is none. Reads own properties only. A field whose name has dots, such as
 * `@odata.nextLink`, is found by that name.
 */
export function valueAt(data: unknown, path: string): unknown {
  const picked = path.includes('[') ? pickIn(path) : undefined;
  if (picked !== undefined) {
    const entries = valueAt(data, picked.list);
    const entry = Array.isArray(entries)
      ? (entries.find((one) => String(ownValue(one, picked.field)) === picked.value) as unknown)
      : undefined;
    return picked.rest === undefined ? entry : valueAt(entry, picked.rest);
  }
  let value = data;
  let rest = path;
  for (let dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
    const named = ownValue(value, rest);
    if (named !== undefined) return named;
    value = ownValue(value, rest.slice(0, dot));
    if (value === undefined) return undefined;
    rest = rest.slice(dot + 1);
  }
  return ownValue(value, rest);
}

/** The rows of a response, and whether their list was present. A missing list is not the same as an empty one. */
export interface RowsAt {
  readonly list: 'present' | 'absent';
  readonly items: readonly unknown[];
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

const absent: RowsAt = { list: 'absent', items: [] };

/**
 * The list at a path in `data`. '' is `data` itself. null: `data` is the one row. `children[].data`: what each entry of a list has
 * there, and if that is a list, its entries. `keyed`: rows may be the members of an object, and their keys are this column. An entry that
 * isn't an object, such as a text, becomes `{ value }`.
 */
export function rowsAt(data: unknown, path: string | null, keyed?: string): RowsAt {
  if (path === null) return { list: 'present', items: [data] };
  const value = path === '' ? data : valueAt(data, path);
  if (Array.isArray(value)) return asRows(value);
  if (path.includes('[]')) return nestedRows(data, path);
  return keyed !== undefined && isFields(value) ? { list: 'present', items: keyedRows(value, keyed) } : absent;
}

function nestedRows(data: unknown, path: string): RowsAt {
  const [outer, ...inner] = path.split('[]').map((part) => part.replace(/^\./, ''));
  const list = outer === '' ? data : valueAt(data, outer!);
  if (!Array.isArray(list)) return absent;
  const items = inner.reduce<readonly unknown[]>(
    (rows, keys) => (keys === '' ? rows : rows.map((row) => valueAt(row, keys))).flatMap((row) => row ?? []),
    list,
  );
  return asRows(items);
}

function asRows(entries: readonly unknown[]): RowsAt {
  if (entries.every(isFields)) return { list: 'present', items: entries };
  const plain = new Set<unknown>();
  const items = entries.map((value) => {
    if (isFields(value)) return value;
    const row: PlainRow = { value };
    plain.add(row);
    return row;
  });
  return { list: 'present', items, plain };
}

/** The members of an object as rows. A row's own field of that name stays as it is. A member that isn't an object becomes `value`. */
function keyedRows(members: Fields, keyed: string): readonly unknown[] {
  return Object.entries(members).map(([key, row]) => (isFields(row) ? { [keyed]: key, ...row } : { [keyed]: key, value: row }));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
