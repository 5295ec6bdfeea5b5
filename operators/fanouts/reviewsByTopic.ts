import type { ChildPage } from '../ChildPage.ts';
import type { FanOut } from '../fanOut.ts';
import type { CursorPaging, PageFactory, PageLike } from '../PageFactory.ts';
import { checkWalkOptions } from '../walk/checkWalkOptions.ts';
import { walkPages } from '../walk/walkPages.ts';
import type { ChildWalkOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';

/** A page of reviews that lists the topics they are about. */
export interface TopicsPage<Topic extends { readonly id: string }> extends PageLike {
  readonly query: { readonly data_id: string };
  readonly data: { readonly topics: readonly Topic[] };
}

/**
 * Pages of reviews to the pages of reviews of each topic they list: each topic of a place once. `parent` is the topic.
 *
 * - Order: a topic's pages are in order; those of several topics interleave.
 * - Concurrency: `concurrency` topics at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page; `maxPages` bounds it for each topic.
 *
 * @example
 * client.mapsReviews({ data_id }).pipe(reviewsByTopic(client), items({ keep: { topic: '$.keyword' } }))
 */
export function reviewsByTopic<
  Query extends { readonly data_id: string; readonly topic_id?: string | undefined },
  Page extends PageLike,
  Topic extends { readonly id: string },
>(
  client: { readonly mapsReviews: PageFactory<Query, Page, CursorPaging> },
  options: ChildWalkOptions<Query, Topic, ChildPage<Page, Topic>> = {},
): FanOut<TopicsPage<Topic>, ChildPage<Page, Topic>, Topic> {
  checkWalkOptions('reviewsByTopic', client.mapsReviews, options);
  const { maxPages, maxItems } = options;
  return childPages(
    ({ query: { data_id }, data }: TopicsPage<Topic>) =>
      (data.topics ?? []).flatMap((topic) =>
        topic.id ? [{ parent: topic, id: `${data_id} ${topic.id}`, query: { data_id, topic_id: topic.id } as Query }] : [],
      ),
    (query) => walkPages(client.mapsReviews, query, { maxPages, maxItems }),
    options,
  );
}
