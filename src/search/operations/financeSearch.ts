import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const quote = {
  stock: 'string',
  link: 'string',
  name: 'string',
  price: 'string',
  price_movement: { percentage: 'string', value: 'string', movement: '=up|down' },
} as const;

const spec = {
  name: 'financeSearch',
  title: 'Finance search',
  group: 'Jobs and finance',
  get: '/finance/search',
  about: 'A stock, company or index, and the markets around it.',
  params: {
    query: { type: 'string', required: true, about: 'a symbol, a company or an index' },
    html: shared.html,
    language: shared.language,
  },
  response: {
    markets: {
      US: [quote as typeof quote],
      Europe: [quote as typeof quote],
      Asia: [quote as typeof quote],
      Currencies: [quote as typeof quote],
      Crypto: [quote as typeof quote],
      Futures: [quote as typeof quote],
    },
    summary: {
      title: 'string',
      stock: 'string',
      price: 'string',
      extracted_price: 'number|null',
      price_movement: { percentage: 'number|null', value: 'number', movement: 'string' },
      extensions: 'array',
    },
    graph: 'array',
    'knowledge_graph?': { key_stats: { tags: 'unknown', stats: 'unknown' }, about: 'unknown' },
    market_news: 'array',
    financials: { quarterly: 'array', annually: 'array' },
    discover_more: [
      {
        title: 'string',
        items: [
          {
            stock: 'string',
            name: 'string',
            link: 'string',
            price: 'number',
            price_movement: { percentage: 'number', movement: '=up|down' },
          },
        ],
      },
    ],
  },
  rows: null,
} as const;

export const financeSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type FinanceSearchQuery = QueryOf<typeof spec>;
export type FinanceSearchData = DataOf<typeof spec>;
