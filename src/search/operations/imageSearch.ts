import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { forms } from '../forms.ts';
import { later } from '../rules.ts';

const spec = {
  name: 'imageSearch',
  title: 'Image search',
  group: 'Media and news',
  get: '/images/search',
  about: 'Images, with their size and the page that they are on.',
  params: {
    query: { type: 'string', required: true, about: 'what to search for' },
    html: shared.html,
    page: shared.page,
    domain: shared.domain,
    country: shared.country,
    cr: shared.cr,
    language: shared.language,
    lr: shared.lr,
    uule: shared.uule,
    tbs: shared.tbs,
    safe: shared.safe,
    nfpr: shared.nfpr,
    filter: shared.filter,
    period_unit: {
      type: 'string',
      oneOf: ['s', 'n', 'h', 'd', 'w', 'm', 'y'],
      about: 'only recent images, by second (s), minute (n), hour (h), day (d), week (w), month (m) or year (y)',
    },
    period_value: { type: 'string', form: forms.count, default: '1', about: 'how many of period_unit to look back' },
    start_date: { type: 'string', format: 'compactDate', about: 'first day, as YYYYMMDD' },
    end_date: { type: 'string', format: 'compactDate', about: 'last day, as YYYYMMDD' },
    chips: { type: 'string', from: 'an earlier response', about: 'filters by a suggested term' },
    imgar: { type: 'string', oneOf: ['s', 't', 'w', 'xw'], about: 'shape: square (s), tall (t), wide (w), panoramic (xw)' },
    imgsz: { type: 'string', known: ['l', 'm', 'i', '4mp', '10mp'], about: 'size: l, m, icon (i), or a resolution such as 4mp' },
    image_color: { type: 'string', known: ['bw', 'trans'], about: 'main colour: a name, black and white (bw) or transparent (trans)' },
    image_type: { type: 'string', oneOf: ['face', 'photo', 'clipart', 'lineart', 'animated'], about: 'kind of image' },
    licenses: {
      type: 'string',
      oneOf: ['f', 'fc', 'cl'],
      about: 'licence: free to use (f), also for commercial use (fc), Creative Commons (cl)',
    },
  },
  rules: [later('start_date', 'end_date', true)],
  response: {
    time_taken: 'number',
    ads: 'array',
    images_results: [
      {
        title: 'string',
        image: 'string: URL of the thumbnail',
        source: 'string: host',
        original: 'string: URL',
        link: 'string',
        original_height: 'integer',
        original_width: 'integer',
        original_size: 'string: with its unit',
        know_more_link: 'string',
        rank: 'integer',
        is_product: 'boolean',
        is_licensable: 'boolean',
        is_video: 'boolean',
      },
    ],
  },
  rows: 'images_results',
  query: { page: '${page}' },
} as const;

export const imageSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type ImageSearchQuery = QueryOf<typeof spec>;
export type ImageSearchData = DataOf<typeof spec>;
export type ImageResult = RowOf<typeof spec>;
