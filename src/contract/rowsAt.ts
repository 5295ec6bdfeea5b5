import { valueAt } from '../../operators/walk/valueAt.ts';

/** The rows of a response, and whether their list was present. A missing list is not the same as an empty one. */
export interface RowsAt {
  readonly list: 'present' | 'absent';
  readonly items: readonly unknown[];
}

/** The list at a dotted path in `data`. '' is `data` itself. null: `data` is the one row. */
export function rowsAt(data: unknown, path: string | null): RowsAt {
  if (path === null) return { list: 'present', items: [data] };
  const value = path === '' ? data : valueAt(data, path);
  return Array.isArray(value) ? { list: 'present', items: value } : { list: 'absent', items: [] };
}
