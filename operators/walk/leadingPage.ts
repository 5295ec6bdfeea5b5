import type { PageLike } from '../PageLike.ts';
import { mayHideRows } from './markOf.ts';
import { rowsAt } from './valueAt.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkOptions } from './WalkOptions.ts';

/**
 * The page as its own list has it, by which a walk goes on, ends, and knows a page again. Where rows are taken from another list,
 * that list may be empty, absent or the same on any page. A response without its own list is walked by the other one, and so is one
 * whose own list may not be the one that counts.
 */
export function leadingPage(walked: WalkedOperation, page: PageLike, { rows }: WalkOptions): PageLike {
  const { list, keyed } = walked;
  if (rows === undefined || list === undefined || rows === list || mayHideRows(walked, {})) return page;
  const own = rowsAt(page.data, list, keyed);
  const { operation, query, data, next, batch } = page;
  return own.list === 'absent' ? page : { operation, query, data, next, batch, ...own };
}
