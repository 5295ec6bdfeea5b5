import { madeOperation } from '../../contract/madeOperation.ts';
import { depth, params, resultOf, task } from './shared.ts';

/** The articles of the news tab of a web search. Groups of top stories aren't read as rows. */
export const newsSearch = madeOperation({
  post: '/serp/google/news/live/advanced',
  about: 'News articles.',
  body: [{ ...task, depth: '${depth}' }],
  params: { ...params, ...depth(10, 200) },
  response: resultOf({
    'title?': 'string|null',
    'url?': 'string|null',
    'domain?': 'string|null',
    'image_url?': 'string|null',
    'snippet?': 'string|null',
    'time_published?': 'string|null: relative text',
    'timestamp?': 'string|null',
  }),
  rows: 'items[type=news_search]',
  columns: { link: 'url', source: 'domain', thumbnail: 'image_url', date: 'timestamp', rank: 'rank_absolute' },
});
