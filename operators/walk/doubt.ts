import type { PageLike } from '../PageFactory.ts';

const doubted = new WeakSet<PageLike>();

/** Marks a page that contradicts the service's own numbers or the page before, so that it isn't stored. */
export function doubt(page: PageLike): void {
  doubted.add(page);
}

/** Whether a walk marked the page as doubtful. It does so while it delivers the page. */
export function isDoubted(page: PageLike): boolean {
  return doubted.has(page);
}
