import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { withPage, type WalkState, type PageSizes } from './WalkState.ts';
import { valueAt } from './valueAt.ts';
import type { WalkFactory } from './WalkFactory.ts';

/** The estimated number of rows, if a walk's first page has none although the estimate says that there are some. */
export function unmetEstimate({ estimates }: WalkFactory, { sizes, partial }: WalkState, page: PageLike): number | undefined {
  if (estimates === undefined || sizes !== undefined || partial === true || receivedOf(page) > 0) return undefined;
  const value = valueAt(page.data, estimates);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** Reports that the page before `page` was in the middle of the walk, and had at most half the rows of the longest one. */
export function thinPage(factory: WalkFactory, state: WalkState, page: PageLike): readonly WalkEvent[] {
  const { sizes } = state;
  const most = withPage(sizes, receivedOf(page))?.most ?? 0;
  if (sizes === undefined || receivedOf(page) === 0 || most < 5 || sizes.last * 2 > most) return [];
  return [
    suspect(factory, state, `the page before this one has ${sizes.last} ${sizes.last === 1 ? 'row' : 'rows'}, and another has ${most}`),
  ];
}

export function suspect({ name }: WalkFactory, { query }: WalkState, message: string): WalkEvent {
  return { type: 'suspect', operation: name, query, message };
}

/** How many rows a page had, the ones that were left out included. */
export function receivedOf(page: PageLike): number {
  return page.received ?? page.items.length;
}

/**
 * Whether a last page of so many rows looks like one in the middle: full, since services page by tens, or empty where no
 * walk has to end so.
 */
export function looksCut({ paging }: WalkFactory, rows: number): boolean {
  const size = (paging.kind === 'cursor' ? paging.size : undefined) ?? 10;
  return rows % size === 0 && (rows > 0 || paging.kind === 'cursor');
}

/** Pages shorter than this say nothing of how many rows a full one has, unless that is documented. */
const fewestRows = 5;

/**
 * Whether the last page of a walk that had rows was full, so that an end there is suspect. Full is a page of the documented
 * size, or with as many rows as an earlier one of the walk, which others followed. A first page of unknown size is full if
 * its size is a multiple of ten. Where a search is known to return no more rows than `items`, its end isn't suspect.
 */
export function endsFull({ paging, splits }: WalkFactory, sizes: PageSizes | undefined, items: number): boolean {
  if (sizes === undefined || items >= (splits?.full ?? Infinity)) return false;
  const { last, least = Infinity } = sizes;
  const documented = (paging.kind === 'cursor' ? paging.size : stepOf(paging)) ?? Infinity;
  if (last < Math.min(fewestRows, documented)) return false;
  const size = Math.min(documented, least);
  return size === Infinity ? last % 10 === 0 : last >= size;
}

/** The size of a page where pages are counted by rows in fixed steps. */
function stepOf(paging: WalkFactory['paging']): number | undefined {
  return paging.kind === 'offset' && typeof paging.step === 'number' && paging.step > 1 ? paging.step : undefined;
}
