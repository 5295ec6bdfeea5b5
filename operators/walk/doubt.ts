import type { PageLike } from '../PageFactory.ts';

const doubted = new WeakSet<PageLike>();

/** Marks a page that contradicts what the service said, or the page before: it is no page to keep. */
export function doubt(page: PageLike): void {
  doubted.add(page);
}

/** Whether a walk had its doubts about a page, which it says while the page is delivered. */
export function isDoubted(page: PageLike): boolean {
  return doubted.has(page);
}
