import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { webParams } from '../shared.ts';

const spec = {
  name: 'lightSearch',
  title: 'Light search',
  group: 'Web search',
  get: '/search/light',
  about: 'Web search with a smaller response.',
  params: webParams as typeof webParams,
  response: {
    search_information: { query_displayed: 'string', organic_results_state: 'string' },
    menu_items: [{ title: 'string', link: 'string', position: 'integer' }],
    local_results: [
      { position: 'integer', title: 'string', place_id: 'string', rating: 'string', reviews: 'string', description: 'string' },
    ],
    peopleAlsoAskedFor: 'array',
    organic_results: [
      {
        title: 'string',
        displayed_link: 'string',
        snippet: 'string',
        date: 'string: may be empty',
        missing: 'array',
        link: 'string',
        favicon: 'string',
        rank: 'integer',
        page_rank: 'integer',
      },
    ],
    relatedSearches: [{ query: 'string', link: 'string' }],
    pagination: { page_no: 'object' },
  },
  rows: 'organic_results',
  query: { page: '${page}' },
  ownPaging: { numbers: { at: 'pagination.page_no' } },
} as const;

export const lightSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type LightSearchQuery = QueryOf<typeof spec>;
export type LightSearchData = DataOf<typeof spec>;
export type LightResult = RowOf<typeof spec>;
