import { nearestName } from './check/nearestName.ts';
import type { PageLike } from './PageFactory.ts';
import { originOf } from './rowOrigin.ts';

/**
 * Throws if the first value shows that `items` is in the wrong place, after rows, or that `rows` names no list but is
 * similar to one. A list that is just missing from this page is fine.
 */
export function refuseWrongPage(page: PageLike, rows: string | undefined): void {
  if (!Array.isArray(page?.items) && (rows === undefined || page?.data === undefined)) {
    const from = originOf(page)?.operation;
    throw new TypeError(
      `items: it got ${from === undefined ? 'a value that is no page' : `a row of ${from}`} and wants pages; leave out one items()`,
    );
  }
  if (rows === undefined || typeof page.data !== 'object' || page.data === null) return;
  const [field = ''] = rows.split('.', 1);
  if (field in page.data || (page.origin?.ofList?.(rows)?.columns.length ?? 0) > 0) return;
  const near = nearestName(field, Object.keys(page.data));
  if (near !== undefined) {
    throw new RangeError(`items: the response of ${page.operation} has no list '${rows}'; did you mean '${near}'?`);
  }
}
