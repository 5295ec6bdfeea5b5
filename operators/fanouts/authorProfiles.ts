import type { Observable } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike, PageRequest } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

export interface HasAuthorId {
  readonly author_id?: string | null | undefined;
}
/** A work with its authors, or somebody with an id of their own. */
export type HasAuthors = HasAuthorId | { readonly authors?: readonly HasAuthorId[] | null | undefined };

/**
 * Scholarly results to the profiles of their authors: every `author_id`, each once. Rows of a search for profiles will
 * do as well. Authors without an id are left out.
 *
 * - Order: profiles as they come.
 * - Concurrency: `concurrency` authors at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request an author.
 *
 * @example
 * of({ query: 'graph theory' }).pipe(offsetPages(client.scholarSearch), items(), authorProfiles(client))
 */
export function authorProfiles<Query extends { readonly author_id: string }, Page extends PageLike, Row extends HasAuthors>(
  client: { readonly scholarAuthor: (query: Query, request?: PageRequest) => Observable<Page> },
  options: ChildPagesOptions<Query, Row, ChildPage<Page, Row>> = {},
): FanOut<Row, ChildPage<Page, Row>> {
  return childPages(
    (row: Row) => authorIds(row).map((id) => ({ parent: row, id, query: { author_id: id } as Query })),
    (query) => client.scholarAuthor(query),
    options,
  );
}

function authorIds(row: HasAuthors): string[] {
  const authors = 'authors' in row && Array.isArray(row.authors) ? (row.authors as readonly (HasAuthorId | null)[]) : [];
  const own = 'author_id' in row ? [row] : [];
  return [...own, ...authors].flatMap((author) => author?.author_id || []);
}
