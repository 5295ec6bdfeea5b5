import { firstOf } from './check/firstOf.ts';
import { nearestName } from './check/nearestName.ts';
import type { PageLike } from './PageFactory.ts';
import { originOf } from './rowOrigin.ts';
import { valueAt } from './walk/valueAt.ts';

/**
 * Throws if the first value shows that `items` is in the wrong place, after rows, or that `rows` names no list. Returns
 * whether that is certain: a response without any rows doesn't show it.
 */
export function refuseWrongPage(page: PageLike, rows: string | undefined): boolean {
  if (!Array.isArray(page?.items) && (rows === undefined || page?.data === undefined)) {
    const from = originOf(page)?.operation;
    throw new TypeError(
      `items: it got ${from === undefined ? 'a value that is no page' : `a row of ${from}`} and needs pages; leave out one items()`,
    );
  }
  const { data, origin } = page;
  if (rows === undefined || typeof data !== 'object' || data === null) return true;
  if (valueAt(data, rows) !== undefined || origin?.lists?.includes(rows) === true) return true;
  if ((origin?.ofList?.(rows)?.columns.length ?? 0) > 0) return true;
  const lists = [...new Set([...(origin?.lists ?? []), ...Object.keys(data).filter((field) => isFull(valueAt(data, field)))])];
  const [field = ''] = rows.split('.', 1);
  const near = nearestName(rows, lists) ?? (field in data ? undefined : nearestName(field, Object.keys(data)));
  if (near === undefined && page.items.length === 0) return false;
  const hint =
    near === undefined
      ? `it has ${firstOf(lists)}. For a list that few responses have, write mergeMap(({ data }) => data.${rows} ?? [])`
      : `did you mean '${near}'?`;
  throw new RangeError(`items: the response of ${page.operation} has no list '${rows}'; ${hint}`);
}

function isFull(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
