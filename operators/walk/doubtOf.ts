import type { Doubt } from './Doubt.ts';
import { kindOf } from './paging/pagingKinds.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { PageReading } from './readPage.ts';
import { withPage, type PageSizes, type WalkState } from './WalkState.ts';

/** What makes the end of a walk suspect, the strongest reason first. Each is about the page that would be the last. */
const endings: readonly (readonly [doubt: Doubt, holds: (operation: WalkedOperation, state: WalkState, read: PageReading) => boolean])[] = [
  ['short', (_operation, _state, { short }) => short !== undefined],
  ['listed', (_operation, _state, { onward }) => onward.kind === 'end' && onward.doubtful === true],
  ['estimate', (_operation, _state, { unmet }) => unmet !== undefined],
  ['full', isFullEnd],
];

/** Why the end of a walk is suspect, if it is. */
export function doubtOf(operation: WalkedOperation, state: WalkState, read: PageReading): Doubt | undefined {
  return endings.find(([, holds]) => holds(operation, state, read))?.[0];
}

/** A claim tells better whether rows are missing, and so does a page with rows that says that it is the last. */
function isFullEnd(operation: WalkedOperation, { sizes }: WalkState, { claimed, onward, received, items }: PageReading): boolean {
  const isTold = onward.kind === 'end' && onward.told === true && received > 0;
  return claimed === undefined && !isTold && endsFull(operation, withPage(sizes, received), items);
}

/** Pages shorter than this say nothing of how many rows a full one has, unless that is documented. */
const minRows = 5;

/**
 * Whether the last page of a walk that had rows was full, so that an end there is suspect. Full is a page of the documented
 * size, or with as many rows as an earlier one of the walk, which others followed. A first page of unknown size is full if
 * its size is a multiple of ten. Where a search is known to return no more rows than `items`, its end isn't suspect.
 */
function endsFull({ paging, splits }: WalkedOperation, sizes: PageSizes | undefined, items: number): boolean {
  if (sizes === undefined || items >= (splits?.full ?? Infinity)) return false;
  const { last, least = Infinity } = sizes;
  const documented = kindOf(paging).pageSize(paging) ?? Infinity;
  if (last < Math.min(minRows, documented)) return false;
  const size = Math.min(documented, least);
  return size === Infinity ? last % 10 === 0 : last >= size;
}
