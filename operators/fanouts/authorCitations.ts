import type { Observable } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages, type Seed } from './childPages.ts';

export interface CitationQuery {
  readonly author_id: string;
  readonly view_op: 'view_citation';
  readonly citation_id: string;
}

/**
 * Articles of an author to the details of each: `citation_id`, each once. Articles without one are left out.
 *
 * - Order: details as they come.
 * - Concurrency: `concurrency` articles at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request an article.
 *
 * @example
 * authors$.pipe(authorProfiles(client), items(), authorCitations(client), items())
 */
export function authorCitations<Page extends PageLike, Article extends { readonly citation_id?: string | null | undefined }>(
  // Two signatures, because an operation with variants has the general call behind the one for this variant.
  client: { readonly scholarAuthor: { (query: CitationQuery): Observable<Page>; (query: CitationQuery): Observable<PageLike> } },
  options: ChildPagesOptions<CitationQuery, Article, ChildPage<Page, Article>> = {},
): FanOut<Article, ChildPage<Page, Article>> {
  return childPages(
    (article: Article): Seed<Article, CitationQuery>[] => {
      const id = article.citation_id;
      if (!id) return [];
      return [{ parent: article, id, query: { author_id: id.split(':', 1)[0] ?? '', view_op: 'view_citation', citation_id: id } }];
    },
    (query: CitationQuery): Observable<Page> => client.scholarAuthor(query),
    options,
  );
}
