import { madeOperation } from '../../contract/madeOperation.ts';
import { filters, paged, params } from './shared.ts';

export const newsSearch = madeOperation({
  post: '/news',
  about: 'News articles.',
  body: paged,
  params: { ...params, ...filters },
  response: {
    'news?': [
      {
        title: 'string',
        link: 'string',
        'snippet?': 'string',
        'date?': 'string: relative text',
        'source?': 'string',
        'imageUrl?': 'string',
        position: 'integer',
      },
    ],
    'credits?': 'integer',
  },
  rows: 'news',
  columns: { thumbnail: 'imageUrl', rank: 'position' },
});
