import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { organicResult, reference, linkedList, paragraph, webParams } from '../shared.ts';

const spec = {
  name: 'webSearch',
  title: 'Web search',
  group: 'Web search',
  get: '/search',
  about: 'The results page of a web search, with knowledge panel, local results and related questions.',
  params: webParams as typeof webParams,
  response: {
    search_information: {
      time_taken: 'number',
      total_results: 'integer',
      query_displayed: 'string',
      spelling_fixed: 'string',
      showing_results_for: 'string',
      organic_results_state: 'string',
      url: 'string',
    },
    'knowledge_graph?': { $map: 'unknown', $known: { title: 'string' }, $suffix: '_links', $twin: [{ text: 'string', link: 'string' }] },
    local_results: [
      {
        position: 'integer',
        title: 'string',
        place_id: 'string',
        rating: 'string: may be empty',
        reviews: 'string: may be empty, or abbreviated such as 1.2K',
        address: 'string',
        hours: 'string',
        links: 'object',
      },
    ],
    peopleAlsoAskedFor: [
      {
        question: 'string',
        rank: 'integer',
        text_blocks: [
          {
            $oneOf: [paragraph as typeof paragraph, { type: '=heading', snippet: 'string' }, linkedList as typeof linkedList],
            $by: 'type',
            $open: true,
          },
        ],
        references: [reference as typeof reference],
      },
    ],
    'organic_results?': { $hint: [organicResult as typeof organicResult] },
    'ai_overview_url?': 'string: for aiOverview, usually within two minutes',
  },
  rows: 'organic_results',
  listUndocumented: true,
  estimates: 'search_information.total_results',
  query: { page: '${page}' },
} as const;

export const webSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type WebSearchQuery = QueryOf<typeof spec>;
export type WebSearchData = DataOf<typeof spec>;
export type WebResult = RowOf<typeof spec>;
