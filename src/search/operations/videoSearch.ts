import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'videoSearch',
  title: 'Video search',
  group: 'Media and news',
  get: '/videos/search',
  about: 'Videos, with the place and date of publication.',
  params: {
    query: { type: 'string', required: true, about: 'what to search for' },
    page: shared.page,
    html: shared.html,
    country: shared.country,
    domain: shared.domain,
    language: shared.language,
    lr: shared.lr,
    uule: shared.uule,
    tbs: shared.tbs,
    safe: shared.safe,
    nfpr: shared.nfpr,
    result_time: { type: 'string', known: ['qdr:d', 'qdr:w'], about: 'published in the last day (qdr:d), week (qdr:w) …' },
  },
  response: {
    videos_results: [
      {
        title: 'string',
        image: 'string',
        snippet: 'string',
        link: 'string',
        time: 'string: relative or a date',
        displayed_link: 'string',
        favicon: 'string',
        extensions: ['string'],
      },
    ],
    pagination: { page_no2: 'object' },
  },
  rows: 'videos_results',
  query: { page: '${page}' },
  ownPaging: { numbers: { at: 'pagination.page_no2' } },
} as const;

export const videoSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type VideoSearchQuery = QueryOf<typeof spec>;
export type VideoSearchData = DataOf<typeof spec>;
export type VideoResult = RowOf<typeof spec>;
