import { quickDigest } from '../kit/quickDigest.ts';
import { LazyRow, wholeRow } from '../LazyRow.ts';
import type { PageLike } from '../PageLike.ts';
import { valueAt } from './valueAt.ts';

/** A number that identifies a page by all of all its rows, as bytes or as objects. undefined for a page without rows. */
export function markOf(page: PageLike): number | undefined {
  if (page.items.length === 0) return undefined;
  return page.mark ?? digestOf(page.items.map(wholeRow));
}

/**
 * A number that identifies a row of a page that is requested a second time: by its id, else by all of it, in whatever order
 * its fields are.
 */
export function rowMark(id: string | undefined, row: unknown): number {
  const value = id === undefined ? undefined : row instanceof LazyRow && !id.includes('.') ? row.field(id) : valueAt(wholeRow(row), id);
  return digestOf(value === undefined || value === null || value === '' ? inOrder(wholeRow(row)) : value);
}

function digestOf(value: unknown): number {
  return quickDigest(Buffer.from(JSON.stringify(value) ?? ''));
}

/** A copy whose fields are sorted by name. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, inOrder(field)] as const);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}
