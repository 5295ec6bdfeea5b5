import type { PageLike } from '../PageFactory.ts';

/** The page with these of its rows. What isn't enumerable in a client's page isn't in this one either. */
export function withRows<Page extends PageLike>(page: Page, rows: readonly unknown[]): Page {
  const hidden = { list: { value: page.list }, origin: { value: page.origin } };
  return Object.defineProperties({ ...page, items: rows }, hidden);
}
