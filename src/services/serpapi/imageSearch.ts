import { madeOperation } from '../../contract/madeOperation.ts';
import { imageSearch as ours } from '../../search/operations/imageSearch.ts';
import { shared } from '../../search/shared.ts';
import { domainParams, head, sentToDomain } from './shared.ts';

const { lr: _, ...taken } = domainParams;
const { period_unit, period_value, start_date, end_date, chips, imgar, imgsz, image_color, image_type } = ours.params;

export const imageSearch = madeOperation({
  get: '/search.json',
  about: 'Images, with their size and the page that they are on.',
  query: { engine: 'google_images', ...sentToDomain, ijn: '${page}' },
  params: {
    ...taken,
    ijn: { type: 'integer', min: 0, default: 0, about: 'results page, counted from 0' },
    cr: shared.cr,
    tbs: shared.tbs,
    period_unit,
    period_value,
    start_date,
    end_date,
    chips,
    imgar,
    imgsz,
    image_color,
    image_type,
    licenses: { ...ours.params.licenses, oneOf: ['f', 'fc', 'fm', 'fmc', 'cl', 'ol'] },
  },
  response: {
    ...head,
    'images_results?': [
      {
        position: 'integer',
        title: 'string',
        thumbnail: 'string: URL',
        source: 'string',
        'source_logo?': 'string',
        link: 'string',
        original: 'string: URL',
        'original_width?': 'integer',
        'original_height?': 'integer',
        'is_product?': 'boolean',
        'related_content_id?': 'string',
        'tag?': 'string',
      },
    ],
  },
  rows: 'images_results',
  columns: { image: 'thumbnail', rank: 'position' },
});
