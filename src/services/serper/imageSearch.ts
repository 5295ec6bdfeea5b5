import { madeOperation } from '../../contract/madeOperation.ts';
import { filters, paged, params } from './shared.ts';

export const imageSearch = madeOperation({
  post: '/images',
  about: 'Images, with their size and the page that they are on.',
  body: paged,
  params: { ...params, ...filters },
  response: {
    'images?': [
      {
        title: 'string',
        imageUrl: 'string',
        imageWidth: 'integer',
        imageHeight: 'integer',
        'thumbnailUrl?': 'string',
        'thumbnailWidth?': 'integer',
        'thumbnailHeight?': 'integer',
        'source?': 'string',
        'domain?': 'string',
        link: 'string',
        'googleUrl?': 'string',
        position: 'integer',
        'creator?': 'string',
        'copyright?': 'string',
        'credit?': 'string',
      },
    ],
    'credits?': 'integer',
  },
  rows: 'images',
  columns: {
    image: 'thumbnailUrl',
    original: 'imageUrl',
    original_height: 'imageHeight',
    original_width: 'imageWidth',
    rank: 'position',
  },
});
