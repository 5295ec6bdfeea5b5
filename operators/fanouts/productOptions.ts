import type { Observable } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike, PageRequest } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

/**
 * A product's other options (`items({ rows: 'more_options' })`) to the product of each: `token`, each once. Options
 * without one are left out.
 *
 * - Order: products as they come.
 * - Concurrency: `concurrency` options at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request an option.
 *
 * @example
 * client.immersiveProduct({ page_token }).pipe(items({ rows: 'more_options' }), productOptions(client))
 */
export function productOptions<
  Query extends { readonly page_token: string },
  Page extends PageLike,
  Option extends { readonly token?: string | null | undefined },
>(
  client: { readonly immersiveProduct: (query: Query, request?: PageRequest) => Observable<Page> },
  options: ChildPagesOptions<Query, Option, ChildPage<Page, Option>> = {},
): FanOut<Option, ChildPage<Page, Option>> {
  return childPages(
    (option: Option) => (option.token ? [{ parent: option, id: option.token, query: { page_token: option.token } as Query }] : []),
    (query) => client.immersiveProduct(query),
    options,
  );
}
