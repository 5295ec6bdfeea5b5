import type { PageLike } from '../PageLike.ts';

/** How many rows a page had, the ones that were left out included. */
export function receivedOf(page: PageLike): number {
  return page.received ?? page.items.length;
}
