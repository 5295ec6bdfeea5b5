import { madeOperation } from '../../contract/Operation.ts';
import { body, filters, paging, params } from './shared.ts';

export const videoSearch = madeOperation({
  post: '/videos',
  about: 'Videos.',
  body,
  params: { ...params, ...filters },
  response: {
    'videos?': [
      {
        title: 'string',
        link: 'string',
        'snippet?': 'string',
        'imageUrl?': 'string',
        'videoUrl?': 'string',
        'duration?': 'string: such as 10:30',
        'source?': 'string',
        'channel?': 'string',
        'date?': 'string: relative text',
        position: 'integer',
      },
    ],
    'credits?': 'integer',
  },
  list: 'videos',
  columns: { image: 'imageUrl', time: 'date', rank: 'position' },
  paging,
});
