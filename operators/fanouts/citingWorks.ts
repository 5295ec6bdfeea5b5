import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { OffsetPaging, PageFactory, PageLike } from '../PageFactory.ts';
import { checkWalkOptions } from '../walk/checkWalkOptions.ts';
import { walkPages } from '../walk/walkPages.ts';
import type { ChildWalkOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';
import { idInLink, type ScholarWork } from './ScholarWork.ts';

/**
 * Scholarly works to the pages of works that cite them: each work once, by the id in its `cited_by` link, else its own.
 * Works that nobody cites are left out. The operation demands a query; it is the work's title, or that id where the
 * title is empty, unless `with` says something else.
 *
 * - Order: a work's pages are in order; those of several works interleave.
 * - Concurrency: `concurrency` works at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page, `maxPages` bounds it for each work; a work can be cited by thousands.
 *
 * @example
 * works$.pipe(citingWorks(client, { maxPages: 2 }), items({ keep: { cites: '$.title' } }))
 */
export function citingWorks<
  Query extends { readonly query: string; readonly cites?: string | undefined },
  Page extends PageLike,
  Work extends ScholarWork,
>(
  client: { readonly scholarSearch: PageFactory<Query, Page, OffsetPaging> },
  options: ChildWalkOptions<Query, Work, ChildPage<Page, Work>> = {},
): FanOut<Work, ChildPage<Page, Work>> {
  checkWalkOptions('citingWorks', client.scholarSearch, options);
  const { maxPages, maxItems } = options;
  return childPages(
    (work: Work) => {
      const cited = work.inline_links?.cited_by;
      const id = idInLink(cited?.link, 'cites') ?? work.id;
      if (!id || Number(cited?.total) === 0) return [];
      return [{ parent: work, id, query: { query: work.title || id, cites: id } as Query }];
    },
    (query) => walkPages(client.scholarSearch, query, { maxPages, maxItems }),
    options,
  );
}
