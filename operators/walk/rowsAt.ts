import { valueAt } from './valueAt.ts';

/** The rows of a response, and whether their list was present. A missing list is not the same as an empty one. */
export interface RowsAt {
  readonly list: 'present' | 'absent';
  readonly items: readonly unknown[];
}

interface Fields {
  readonly [field: string]: unknown;
}

const absent: RowsAt = { list: 'absent', items: [] };

/**
 * The list at a path in `data`. '' is `data` itself. null: `data` is the one row. `children[].data`: what each entry of a list has
 * there, and if that is a list, its entries. `keyed`: rows may be the members of an object, and their keys are this column.
 */
export function rowsAt(data: unknown, path: string | null, keyed?: string): RowsAt {
  if (path === null) return { list: 'present', items: [data] };
  const value = path === '' ? data : valueAt(data, path);
  if (Array.isArray(value)) return { list: 'present', items: value };
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
  return { list: 'present', items };
}

/** The members of an object as rows. A row's own field of that name stays as it is. A member that isn't an object becomes `value`. */
function keyedRows(members: Fields, keyed: string): readonly unknown[] {
  return Object.entries(members).map(([key, row]) => (isFields(row) ? { [keyed]: key, ...row } : { [keyed]: key, value: row }));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
