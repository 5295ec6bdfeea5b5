import { madeOperation } from '../../contract/madeOperation.ts';
import { block, reference } from './shared.ts';

export const aiOverview = madeOperation({
  get: '/search.json',
  about: 'The generated overview that a web search points to, if it does not have it.',
  query: { engine: 'google_ai_overview' },
  params: {
    page_token: {
      type: 'string',
      required: true,
      from: 'ai_overview.page_token of webSearch',
      about: 'the overview, valid for about a minute',
    },
  },
  response: { 'ai_overview?': { 'text_blocks?': [block as typeof block], 'references?': [reference as typeof reference] } },
  rows: null,
  answer: { blocks: 'ai_overview.text_blocks', references: 'ai_overview.references' },
});
