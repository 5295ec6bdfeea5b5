import type { Observable } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike, PageRequest } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

/**
 * Local results of a web search (`items({ rows: 'local_results' })`) to the place of each on the map: `place_id`, each
 * once. Results without one are left out. The operation demands a query; it is the result's title, or the id where that is
 * empty, unless `with` says something else.
 *
 * - Order: places as they come.
 * - Concurrency: `concurrency` places at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a place.
 *
 * @example
 * client.webSearch({ query: 'coffee' }).pipe(items({ rows: 'local_results' }), localPlaces(client), items(), placeReviews(client))
 */
export function localPlaces<
  Query extends { readonly query: string; readonly place_id?: string | undefined },
  Page extends PageLike,
  Local extends { readonly title: string; readonly place_id?: string | null | undefined },
>(
  client: { readonly mapsSearch: (query: Query, request?: PageRequest) => Observable<Page> },
  options: ChildPagesOptions<Query, Local, ChildPage<Page, Local>> = {},
): FanOut<Local, ChildPage<Page, Local>> {
  return childPages(
    (local: Local) => {
      const id = local.place_id;
      return id ? [{ parent: local, id, query: { query: local.title || id, place_id: id } as Query }] : [];
    },
    (query) => client.mapsSearch(query),
    options,
  );
}
