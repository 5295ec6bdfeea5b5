import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { query } from './shared.ts';

export const financeSearch = madeOperation({
  get: '/search',
  about: 'A stock, company or index.',
  query: { engine: 'google_finance', q: '${query}', hl: '${language}' },
  params: {
    query,
    language: shared.language,
    window: { type: 'string', oneOf: ['1D', '5D', '1M', '6M', 'YTD', '1Y', '5Y', 'MAX'], about: 'the time that the graph shows' },
  },
  response: {
    'summary?': { 'title?': 'string', 'stock?': 'string', 'exchange?': 'string', 'price?': 'number', 'currency?': 'string' },
    'knowledge_graph?': 'object',
    'financials?': { 'quarterly?': 'array', 'annual?': 'array' },
    'graph?': 'array',
    'news?': 'array',
    'markets?': 'unknown',
  },
  rows: null,
  columns: { 'summary.extracted_price': 'summary.price', 'financials.annually': 'financials.annual', market_news: 'news' },
});
