import { madeOperation } from '../../contract/madeOperation.ts';
import { params, resultOf, task } from './shared.ts';

export const financeSearch = madeOperation({
  post: '/serp/google/finance_quote/live/advanced',
  about: 'A stock, company or index: its quote, and what stands beside it.',
  body: [{ ...task, window: '${window}' }],
  params: {
    ...params,
    window: { type: 'string', oneOf: ['1D', '5D', '1M', '6M', 'YTD', '1Y', '5Y', 'MAX'], about: 'the time that the graph shows' },
  },
  response: resultOf({ 'quote?': 'unknown', 'graph_items?': 'unknown' }),
  rows: null,
});
