import { firstOf, nearestName } from './check/nearestName.ts';
import type { OperatorFunction } from 'rxjs';
import { type Keep, type Kept, keepColumns } from './keepColumns.ts';
import { defineOperator } from './kit/defineOperator.ts';
import type { Handlers } from './kit/Outlet.ts';
import type { PageLike } from './PageLike.ts';
import type { RowIn } from './RowAt.ts';
import { setOrigin, originOf } from './rowOrigin.ts';
import { valueAt } from './kit/path.ts';
import { rowsAt } from './walk/rowsAt.ts';
import { anything, text, declareOptions } from './options/index.ts';

type RowsOf<Page extends PageLike, Rows> = Rows extends string ? RowIn<Page['data'], Rows> : Page['items'][number];

export interface ItemsOptions<Page extends PageLike, Rows = string | undefined, Columns = Keep<Page>> {
  /**
   * Another list of the response: a dotted path in `data`, or `orders[].lines` for lists in a list.
   * @default the list that the page was requested with
   */
  readonly rows?: Rows;
  /** Columns to add from the query or the parent row. A column that the row already has is an error. @default none */
  readonly keep?: (Columns & Keep<Page>) | undefined;
}

const itemsOptions = declareOptions<ItemsOptions<PageLike>>()({ rows: text('a dotted path in the response'), keep: anything() });

/**
 * Turns pages into rows.
 *
 * - Order: as in the pages and their lists. Concurrency: none.
 * - Cancellation: unsubscribing stops in the middle of a page.
 * - Cost: none.
 *
 * Each row knows which columns its operation documents (`originOf`), so that a CSV has them all from the first row on.
 *
 * @example
 * places$.pipe(placeReviews(client), items({ keep: { place: '$.title', data_id: 'data_id' } }))
 */
export function items<Page extends PageLike, const Rows extends string | undefined = undefined, const Columns extends Keep<Page> = {}>(
  options?: ItemsOptions<Page, Rows, Columns>,
): OperatorFunction<Page, keyof Columns extends never ? RowsOf<Page, Rows> : Kept<Page, Columns, RowsOf<Page, Rows>>>;
export function items(options: ItemsOptions<PageLike> = {}): OperatorFunction<PageLike, unknown> {
  const { rows, keep } = itemsOptions.read('items', options);
  const kept = keep === undefined ? undefined : keepColumns(keep);
  const seesRows = rows !== undefined || Object.values(keep ?? {}).some((from) => typeof from === 'function');

  return defineOperator<PageLike, unknown>((source, out) => {
    let known = false;
    const handlers: Handlers<PageLike> = {
      next(page) {
        known ||= refuseWrongPage(page, rows);
        const list = rows === undefined ? page.items : listAt(page, rows);
        const origin = rows === undefined ? page.origin : page.origin?.ofList?.(rows);
        for (const item of list) {
          if (out.closed) return;
          const row = kept === undefined ? item : kept(page, item, origin);
          if (kept === undefined && origin !== undefined) setOrigin(row, origin);
          out.next(row);
        }
      },
    };
    // Rows stay bytes if the sink takes them so, and if nothing here reads them.
    out.listen(source, handlers, out.node, out.lazy && !seesRows);
  });
}

function listAt(page: PageLike, path: string): readonly unknown[] {
  const { items, list } = rowsAt(page.data, path);
  if (list === 'absent' && (valueAt(page.data, path) ?? undefined) !== undefined)
    throw new TypeError(
      `items: ${path} in the response of ${page.operation} is not a list but of type ${typeof valueAt(page.data, path)}; for one row ` +
        `per page write map(({ data }) => data.${path})`,
    );
  return items;
}

/**
 * Throws if the first value shows that `items` follows rows and not pages, or that `rows` names no list. Returns false if that can't be
 * known yet, because the response has no rows.
 */
function refuseWrongPage(page: PageLike, rows: string | undefined): boolean {
  if (!Array.isArray(page?.items) && (rows === undefined || page?.data === undefined)) {
    const from = originOf(page)?.operation;
    throw new TypeError(
      `items: it got ${from === undefined ? "a value that isn't a page" : `a row of ${from}`} and needs pages; leave out one items()`,
    );
  }
  const { data, origin } = page;
  if (rows === undefined || typeof data !== 'object' || data === null) return true;
  if (rowsAt(data, rows).list === 'present' || valueAt(data, rows) !== undefined || origin?.lists?.includes(rows) === true) return true;
  if ((origin?.ofList?.(rows)?.columns.length ?? 0) > 0) return true;
  const lists = [...new Set([...(origin?.lists ?? []), ...Object.keys(data).filter((field) => isFull(valueAt(data, field)))])];
  const [field = ''] = rows.split(/[.[]/, 1);
  const near = nearestName(rows, lists) ?? (Object.hasOwn(data, field) ? undefined : nearestName(field, Object.keys(data)));
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
