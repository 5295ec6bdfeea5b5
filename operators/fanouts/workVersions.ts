import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { OffsetPaging, PageFactory, PageLike } from '../PageFactory.ts';
import { checkWalkOptions } from '../walk/checkWalkOptions.ts';
import { walkPages } from '../walk/walkPages.ts';
import type { ChildWalkOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';
import type { ScholarWork } from './ScholarWork.ts';

/**
 * Scholarly works to the pages of all their versions: each `cluster_id` once. Works with a single version are left out.
 * The operation demands a query; it is the work's title, or the id where that is empty, unless `with` says
 * something else.
 *
 * - Order: a work's pages are in order; those of several works interleave.
 * - Concurrency: `concurrency` works at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page; `maxPages` bounds it for each work.
 *
 * @example
 * works$.pipe(workVersions(client), items({ keep: { version_of: '$.title' } }))
 */
export function workVersions<
  Query extends { readonly query: string; readonly cluster?: string | undefined },
  Page extends PageLike,
  Work extends ScholarWork,
>(
  client: { readonly scholarSearch: PageFactory<Query, Page, OffsetPaging> },
  options: ChildWalkOptions<Query, Work, ChildPage<Page, Work>> = {},
): FanOut<Work, ChildPage<Page, Work>> {
  checkWalkOptions('workVersions', client.scholarSearch, options);
  const { maxPages, maxItems } = options;
  return childPages(
    (work: Work) => {
      const id = work.inline_links?.versions?.cluster_id;
      return id ? [{ parent: work, id, query: { query: work.title || id, cluster: id } as Query }] : [];
    },
    (query) => walkPages(client.scholarSearch, query, { maxPages, maxItems }),
    options,
  );
}
