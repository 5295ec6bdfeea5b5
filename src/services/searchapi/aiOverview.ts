import { madeOperation } from '../../contract/madeOperation.ts';
import { answered } from './shared.ts';

export const aiOverview = madeOperation({
  get: '/search',
  about: 'The generated overview that a web search points to, if it does not have it.',
  query: { engine: 'google_ai_overview' },
  params: {
    page_token: {
      type: 'string',
      required: true,
      from: 'ai_overview.page_token of webSearch',
      about: 'the overview, valid for less than a minute',
    },
  },
  response: answered,
  rows: null,
  answer: { blocks: 'text_blocks', references: 'reference_links' },
});
