import type { Operation } from './Operation.ts';
import { keyOfRows } from './keyOfRows.ts';
import { rowsAt } from '../../operators/walk/rowsAt.ts';

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
