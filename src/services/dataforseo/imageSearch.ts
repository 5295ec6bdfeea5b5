import { madeOperation } from '../../contract/madeOperation.ts';
import { depth, params, resultOf, task } from './shared.ts';

export const imageSearch = madeOperation({
  post: '/serp/google/images/live/advanced',
  about: 'Images, with the page that they are on.',
  body: [{ ...task, depth: '${depth}' }],
  params: { ...params, ...depth(100, 200) },
  response: resultOf({
    'title?': 'string|null',
    'subtitle?': 'string|null: host',
    'alt?': 'string|null',
    'url?': 'string|null: the page',
    'source_url?': 'string|null: the image',
    'encoded_url?': 'string|null: the thumbnail',
  }),
  rows: 'items[type=images_search]',
  columns: { image: 'encoded_url', source: 'subtitle', original: 'source_url', link: 'url', rank: 'rank_absolute' },
});
