import { madeOperation } from '../../contract/madeOperation.ts';
import { imageSearch as ours } from '../../search/operations/imageSearch.ts';
import { shared } from '../../search/shared.ts';
import { head, ofDomain, sentPage, sentToDomain } from './shared.ts';

export const imageSearch = madeOperation({
  get: '/search',
  about: 'Images, with their size and the page that they are on.',
  query: {
    engine: 'google_images',
    ...sentToDomain,
    aspect_ratio: '${imgar}',
    time_period: '${period_unit}',
    usage_rights: '${licenses}',
    ...sentPage,
  },
  params: {
    ...ofDomain,
    tbs: shared.tbs,
    imgar: { ...ours.params.imgar, values: { s: 'square', t: 'tall', w: 'wide', xw: 'panoramic' } },
    image_type: { ...ours.params.image_type, values: { lineart: 'line_drawing', animated: 'gif' } },
    period_unit: {
      type: 'string',
      oneOf: ['n', 'h', 'd', 'w', 'm', 'y'],
      values: { n: 'last_1_minute', h: 'last_hour', d: 'last_day', w: 'last_week', m: 'last_month', y: 'last_year' },
      about: 'only from the last minute (n), hour (h), day (d), week (w), month (m) or year (y)',
    },
    licenses: {
      type: 'string',
      oneOf: ['cl', 'ol'],
      values: { cl: 'creative_commons_licenses', ol: 'commercial_or_other_licenses' },
      about: 'licence: Creative Commons (cl), or commercial and others (ol)',
    },
    size: { type: 'string', about: 'size, in its words' },
    color: { type: 'string', about: 'main colour, in its words' },
  },
  response: {
    ...head,
    'images?': [
      {
        'position?': 'integer',
        title: 'string',
        source: { name: 'string', link: 'string' },
        original: { link: 'string', 'width?': 'integer', 'height?': 'integer' },
        'thumbnail?': 'string',
        'is_product?': 'boolean',
      },
    ],
  },
  rows: 'images',
  columns: {
    image: 'thumbnail',
    source: 'source.name',
    link: 'source.link',
    original: 'original.link',
    original_width: 'original.width',
    original_height: 'original.height',
    rank: 'position',
  },
});
