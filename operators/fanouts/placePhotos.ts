import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { CursorPaging, PageFactory, PageLike } from '../PageFactory.ts';
import type { ChildWalkOptions } from './ChildPagesOptions.ts';
import { placePages, type HasDataId } from './placePages.ts';

/**
 * Places to the pages of their photos: each `data_id` once, to its last page. Places without one are left out.
 *
 * - Order: a place's pages are in order; those of several places interleave.
 * - Concurrency: `concurrency` places at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page of photos; `maxPages` bounds it for each place.
 *
 * @example
 * places$.pipe(placePhotos(client, { maxPages: 3, onError: 'skip' }), items({ keep: { place: '$.title' } }))
 */
export function placePhotos<Query extends { readonly data_id: string }, Page extends PageLike, Place extends HasDataId>(
  client: { readonly mapsPhotos: PageFactory<Query, Page, CursorPaging> },
  options: ChildWalkOptions<Query, Place, ChildPage<Page, Place>> = {},
): FanOut<Place, ChildPage<Page, Place>> {
  return placePages('placePhotos', client.mapsPhotos, options);
}
