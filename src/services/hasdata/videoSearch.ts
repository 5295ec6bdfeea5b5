import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { deviceType, metadata, params, sent } from './shared.ts';

export const videoSearch = madeOperation({
  get: '/scrape/google/short-videos',
  about: 'Short videos. There is no search for other videos.',
  query: { ...sent, page: '${page}' },
  params: { ...params, page: shared.page, cr: shared.cr, lr: shared.lr, location: shared.location, uule: shared.uule, deviceType },
  response: {
    ...metadata,
    'shortVideos?': [
      {
        'position?': 'integer',
        title: 'string',
        link: 'string',
        'source?': 'string',
        'sourceLogo?': 'string',
        'profileName?': 'string',
        'duration?': 'string',
        'clip?': 'string',
        'thumbnail?': 'string',
      },
    ],
  },
  rows: 'shortVideos',
  columns: { image: 'thumbnail', page_rank: 'position' },
});
