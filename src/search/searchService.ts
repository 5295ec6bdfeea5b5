import { madeService, type Service } from '../contract/Service.ts';
import { fanOuts, type FanOuts } from './fanOuts.ts';
import { operations, type Operations } from './operations.ts';

export type SearchService = Service<Operations, FanOuts>;

/** The search-data service. */
export const searchService: SearchService = madeService({
  name: 'search',
  about: 'Structured data of a web search engine and its verticals, read only.',
  baseUrl: '/api/v1/engine',
  headers: { 'x-api-key': '${key}' },
  price: {},
  account: { call: 'autocomplete', with: { query: 'coffee' } },
  envelope: { data: 'data', code: { at: 'code', is: 200 }, message: 'message', requestId: 'requestId', timestamp: 'timestamp' },
  operations,
  fanOuts,
  examples: {
    '': [['trawler call webSearch --query coffee --sandbox', 'one page from the sandbox']],
    operations: [['trawler operations mapsReviews', 'one operation in full']],
    call: [
      ["trawler call mapsSearch --query coffee --ll '@40.74,-73.98,14z'", 'one page, as a table'],
      ['trawler call mapsReviews --data_id 0x1:0x2 --pages all | jq .snippet', 'all reviews, one per line'],
      ['trawler call webSearch --query tea --pages 3 --out tea.csv', 'three pages into a file'],
      ['trawler call webSearch --query tea --sandbox', 'without a key, on the sandbox'],
    ],
  },
});
