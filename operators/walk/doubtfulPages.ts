import type { PageLike } from '../PageLike.ts';

const doubtful = new WeakSet<PageLike>();

/** Marks a page that contradicts the service's own numbers or the page before, so that it isn't stored. */
export function markDoubtful(page: PageLike): void {
  doubtful.add(page);
}

/** Whether a walk marked the page as doubtful. It does so while it delivers the page. */
export function isDoubtful(page: PageLike): boolean {
  return doubtful.has(page);
}
