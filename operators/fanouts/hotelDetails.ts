import type { Observable } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike, PageRequest } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

/** The days of the stay, which every query for hotels needs, and whatever else of the query is to be the same. */
export interface HotelDetailsOptions<Query, Hotel, Child> extends Omit<ChildPagesOptions<Query, Hotel, Child>, 'with'> {
  readonly with: Stay<Query> | ((hotel: Hotel) => Stay<Query>);
}
type Stay<Query> = Partial<Query> & { readonly check_in_date: string; readonly check_out_date: string };

/**
 * Hotels to the details of each: `property_token`, each once. Hotels without one are left out. The query is the hotel's
 * title, or the token where that is empty, unless `with` says something else.
 *
 * - Order: details as they come.
 * - Concurrency: `concurrency` hotels at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a hotel.
 *
 * @example
 * hotels$.pipe(hotelDetails(client, { with: { check_in_date: '2030-05-01', check_out_date: '2030-05-04' } }))
 */
export function hotelDetails<
  Query extends { readonly query: string; readonly property_token?: string | undefined },
  Page extends PageLike,
  Hotel extends { readonly title: string; readonly property_token?: string | null | undefined },
>(
  client: { readonly hotelSearch: (query: Query, request?: PageRequest) => Observable<Page> },
  options: HotelDetailsOptions<Query, Hotel, ChildPage<Page, Hotel>>,
): FanOut<Hotel, ChildPage<Page, Hotel>> {
  return childPages(
    (hotel: Hotel) => {
      const id = hotel.property_token;
      return id ? [{ parent: hotel, id, query: { query: hotel.title || id, property_token: id } as unknown as Query }] : [];
    },
    (query) => client.hotelSearch(query),
    options,
  );
}
