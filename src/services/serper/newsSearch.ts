import { madeOperation } from '../../contract/Operation.ts';
import { body, filters, paging, params } from './shared.ts';

export const newsSearch = madeOperation({
  post: '/news',
  about: 'News articles.',
  body,
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
  list: 'news',
  columns: { thumbnail: 'imageUrl', rank: 'position' },
  paging,
});
