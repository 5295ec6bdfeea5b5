import type { DataOf, MadeOf, Operation, QueryOf, RowAt, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { organicResult, webParams } from '../shared.ts';

const spec = {
  name: 'mobileSearch',
  title: 'Mobile search',
  group: 'Web search',
  get: '/search/mobile',
  about: 'Web search as a phone sees it.',
  params: webParams as typeof webParams,
  response: {
    local_results: [
      {
        $oneOf: [
          {
            position: 'integer',
            title: 'string',
            rating: 'string: may be empty',
            reviews: 'string: may be abbreviated, such as 1.2K',
            extensions: ['string'],
            address: 'string',
            hours: 'string',
            links: 'object',
          },
          { more_locations_link: 'string' },
        ],
      },
    ],
    peopleAlsoAskedFor: 'array',
    organic_results: [{ $hint: organicResult as typeof organicResult }],
  },
  rows: 'organic_results',
  query: { page: '${page}' },
} as const;

export const mobileSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type MobileSearchQuery = QueryOf<typeof spec>;
export type MobileSearchData = DataOf<typeof spec>;
export type MobileResult = RowOf<typeof spec>;
/** A place, or as the last entry a link to more of them: tell them apart by `'more_locations_link' in entry`. */
export type MobileLocalResult = RowAt<MobileSearchData, 'local_results'>;
