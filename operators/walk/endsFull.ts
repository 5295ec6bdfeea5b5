import type { PageSizes } from './PageSizes.ts';
import type { WalkFactory } from './WalkFactory.ts';

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
