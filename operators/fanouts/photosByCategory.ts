import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { CursorPaging, PageFactory, PageLike } from '../PageFactory.ts';
import { checkWalkOptions } from '../walk/checkWalkOptions.ts';
import { walkPages } from '../walk/walkPages.ts';
import type { ChildWalkOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

/** A page of photos that lists the categories they are sorted into. */
export interface CategoriesPage<Category extends { readonly id: string }> extends PageLike {
  readonly query: { readonly data_id: string };
  readonly data: { readonly categories: readonly Category[] };
}

/**
 * Pages of photos to the pages of photos of each category they list: each category of a place once. `parent` is the
 * category.
 *
 * - Order: a category's pages are in order; those of several categories interleave.
 * - Concurrency: `concurrency` categories at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page; `maxPages` bounds it for each category.
 *
 * @example
 * client.mapsPhotos({ data_id }).pipe(photosByCategory(client), items({ keep: { category: '$.name' } }))
 */
export function photosByCategory<
  Query extends { readonly data_id: string; readonly category_id?: string | undefined },
  Page extends PageLike,
  Category extends { readonly id: string },
>(
  client: { readonly mapsPhotos: PageFactory<Query, Page, CursorPaging> },
  options: ChildWalkOptions<Query, Category, ChildPage<Page, Category>> = {},
): FanOut<CategoriesPage<Category>, ChildPage<Page, Category>, Category> {
  checkWalkOptions('photosByCategory', client.mapsPhotos, options);
  const { maxPages, maxItems } = options;
  return childPages(
    ({ query: { data_id }, data }: CategoriesPage<Category>) =>
      (data.categories ?? []).flatMap((category) =>
        category.id ? [{ parent: category, id: `${data_id} ${category.id}`, query: { data_id, category_id: category.id } as Query }] : [],
      ),
    (query) => walkPages(client.mapsPhotos, query, { maxPages, maxItems }),
    options,
  );
}
