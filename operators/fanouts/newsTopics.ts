import type { Observable } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike, PageRequest } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

/**
 * Entries of a news menu (`items({ rows: 'menu_links' })`) to the news of each topic: `topic_token`, each once. Entries
 * without one are left out. The operation demands a query; it is the entry's title, or the token where that is empty, unless
 * `with` says something else.
 *
 * - Order: pages as they come.
 * - Concurrency: `concurrency` topics at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a topic.
 *
 * @example
 * client.newsSearch({ query: 'weather' }).pipe(items({ rows: 'menu_links' }), newsTopics(client), items({ keep: { topic: '$.title' } }))
 */
export function newsTopics<
  Query extends { readonly query: string; readonly topic_token?: string | undefined },
  Page extends PageLike,
  Topic extends { readonly title: string; readonly topic_token?: string | null | undefined },
>(
  client: { readonly newsSearch: (query: Query, request?: PageRequest) => Observable<Page> },
  options: ChildPagesOptions<Query, Topic, ChildPage<Page, Topic>> = {},
): FanOut<Topic, ChildPage<Page, Topic>> {
  return childPages(
    (topic: Topic) => {
      const id = topic.topic_token;
      return id ? [{ parent: topic, id, query: { query: topic.title || id, topic_token: id } as Query }] : [];
    },
    (query) => client.newsSearch(query),
    options,
  );
}
