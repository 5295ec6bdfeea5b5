import { madeOperation } from '../../contract/madeOperation.ts';
import { filters, paged, params } from './shared.ts';

export const videoSearch = madeOperation({
  post: '/videos',
  about: 'Videos.',
  body: paged,
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
  rows: 'videos',
  columns: { image: 'imageUrl', time: 'date', rank: 'position' },
});
