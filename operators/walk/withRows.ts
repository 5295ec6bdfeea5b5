import type { PageLike } from '../PageFactory.ts';

/** A copy of the page with these rows only. Properties that aren't enumerable in a client's page aren't enumerable here either. */
export function withRows<Page extends PageLike>(page: Page, rows: readonly unknown[]): Page {
  const hidden = { list: { value: page.list }, origin: { value: page.origin } };
  return Object.defineProperties({ ...page, items: rows }, hidden);
}
