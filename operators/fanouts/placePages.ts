import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { CursorPaging, PageFactory, PageLike } from '../PageFactory.ts';
import { checkWalkOptions } from '../walk/checkWalkOptions.ts';
import { walkPages } from '../walk/walkPages.ts';
import type { ChildWalkOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

export interface HasDataId {
  readonly data_id?: string | null | undefined;
}

/** What the fan-outs of a place share: walk all pages of one operation for each `data_id`. */
export function placePages<Query extends { readonly data_id: string }, Page extends PageLike, Place extends HasDataId>(
  caller: string,
  factory: PageFactory<Query, Page, CursorPaging>,
  options: ChildWalkOptions<Query, Place, ChildPage<Page, Place>>,
): FanOut<Place, ChildPage<Page, Place>> {
  checkWalkOptions(caller, factory, options);
  const { maxPages, maxItems } = options;
  return childPages(
    (place: Place) => (place.data_id ? [{ parent: place, id: place.data_id, query: { data_id: place.data_id } as Query }] : []),
    (query) => walkPages(factory, query, { maxPages, maxItems }),
    options,
  );
}
