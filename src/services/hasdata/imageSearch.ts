import { madeOperation } from '../../contract/madeOperation.ts';
import { deviceType, domainParams, metadata, sent } from './shared.ts';

/** A page has about 100 images. Only a page without any shows the end. */
export const imageSearch = madeOperation({
  get: '/scrape/google/images',
  about: 'Images, with their size and the page that they are on.',
  query: { ...sent, ijn: '${page}' },
  params: { ...domainParams, deviceType },
  response: {
    ...metadata,
    'imagesResults?': [
      {
        'position?': 'integer',
        'title?': 'string',
        'link?': 'string',
        'source?': 'string',
        'thumbnail?': 'string: URL',
        original: 'string: URL',
        'originalWidth?': 'integer',
        'originalHeight?': 'integer',
      },
    ],
  },
  rows: 'imagesResults',
  columns: { image: 'thumbnail', original_width: 'originalWidth', original_height: 'originalHeight', rank: 'position' },
});
