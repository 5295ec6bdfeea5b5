import { madeOperation } from '../../contract/madeOperation.ts';
import { job } from './codes.ts';
import { country, depth, language, resultOf, spoken } from './shared.ts';

export const mapsPosts = madeOperation({
  post: '/business_data/google/my_business_updates/task_post',
  about: 'Posts of one business about itself.',
  body: [{ keyword: 'cid:${data_cid}', ...spoken, depth: '${depth}' }],
  params: {
    data_cid: { type: 'string', required: true, from: 'mapsSearch', about: 'the place' },
    country,
    language,
    ...depth(10, 4490),
  },
  response: resultOf({
    'author?': 'string|null',
    'snippet?': 'string|null',
    'post_text?': 'string|null',
    'url?': 'string|null',
    'images_url?': 'string|null',
    'post_date?': 'string|null: such as 11/01/2026 10:00:00',
    'timestamp?': 'string|null',
    'links?': 'array|null',
  }),
  rows: 'items[type=google_business_post]',
  columns: { description: 'post_text', date: 'timestamp', image: 'images_url', link: 'url' },
  job: job('/business_data/google/my_business_updates/task_get/${id}'),
});
