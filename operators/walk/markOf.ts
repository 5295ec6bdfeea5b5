import { quickDigest } from '../kit/quickDigest.ts';
import { LazyRow, wholeRow } from '../LazyRow.ts';
import { type PageLike, receivedOf } from '../PageLike.ts';
import { kindOf } from './paging/pagingKinds.ts';
import { valueAt } from '../kit/path.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkOptions } from './WalkOptions.ts';

/**
 * A digest of all rows of a page, which identifies the page. undefined: it has neither rows nor entries. If the rows may be in a list that
 * isn't documented, all lists of the response are part of the digest.
 */
export function markOf(operation: WalkedOperation, page: PageLike, options: WalkOptions): number | undefined {
  const count = page.batch === undefined ? page.items.length : receivedOf(page);
  // If no entry has rows, only the whole response identifies the page.
  const without = (page.entries ?? 0) > 0 ? digestOf(page.data) : undefined;
  const rows = count === 0 ? without : (page.mark ?? digestOf(page.items.map(wholeRow)));
  if (!mayHideRows(operation, options)) return rows;
  const others = otherLists(page);
  return others.length === 0 ? rows : digestOf([rows ?? 0, others]);
}

/** A digest that identifies a row: of its id, else of all its fields, whatever their order. */
export function rowMark(id: string | undefined, row: unknown): number {
  return idMark(id, row) ?? digestOf(inOrder(wholeRow(row)));
}

/** A digest of a row's id. undefined if it has none. */
export function idMark(id: string | undefined, row: unknown): number | undefined {
  if (id === undefined) return undefined;
  if (row instanceof LazyRow && !id.includes('.')) return row.digest(id);
  const value = valueAt(wholeRow(row), id);
  return value === undefined || value === null || value === '' ? undefined : digestOf(value);
}

/** Whether the rows may be in another list than the operation's own, which isn't documented. Only where a token leads from page to page. */
export function mayHideRows({ paging, listUndocumented }: WalkedOperation, { rows }: WalkOptions): boolean {
  return listUndocumented === true && rows === undefined && kindOf(paging).operator === 'expandCursor';
}

/** The lists of a response that have members, except the page's own and those inside of lists. */
export function otherLists({ data, items }: PageLike): readonly (readonly unknown[])[] {
  return listsIn(data).filter((list) => list !== items);
}

function listsIn(data: unknown): readonly (readonly unknown[])[] {
  if (Array.isArray(data)) return data.length === 0 ? [] : [data];
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(listsIn) : [];
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
