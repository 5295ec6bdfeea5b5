import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { query } from './shared.ts';

export const financeSearch = madeOperation({
  get: '/search.json',
  about: 'A stock, company or index, and the markets around it.',
  query: { engine: 'google_finance', q: '${query}', hl: '${language}' },
  params: {
    query,
    language: shared.language,
    window: { type: 'string', oneOf: ['1D', '5D', '1M', '6M', 'YTD', '1Y', '5Y', 'MAX'], about: 'the time that the graph shows' },
  },
  response: {
    'markets?': {
      'us?': 'array',
      'europe?': 'array',
      'asia?': 'array',
      'currencies?': 'array',
      'crypto?': 'array',
      'futures?': 'array',
    },
    'summary?': {
      'title?': 'string',
      'stock?': 'string',
      'exchange?': 'string',
      'price?': 'unknown',
      'extracted_price?': 'number',
      'currency?': 'string',
      'price_movement?': 'object',
    },
    'graph?': 'array',
    'knowledge_graph?': 'object',
    'financials?': 'array',
    'news_results?': 'array',
    'discover_more?': 'array',
  },
  rows: null,
  columns: {
    'markets.US': 'markets.us',
    'markets.Europe': 'markets.europe',
    'markets.Asia': 'markets.asia',
    'markets.Currencies': 'markets.currencies',
    'markets.Crypto': 'markets.crypto',
    'markets.Futures': 'markets.futures',
    market_news: 'news_results',
  },
});
