import { madeOperation } from '../../contract/madeOperation.ts';
import { answer, metadata } from './shared.ts';

export const aiOverview = madeOperation({
  get: '/scrape/google/ai-overview',
  about: 'The generated overview that a web search points to, if it does not have it.',
  query: { pageToken: '${page_token}' },
  params: {
    page_token: {
      type: 'string',
      required: true,
      from: 'aiOverview.pageToken of webSearch',
      about: 'the overview, valid for about four minutes',
    },
  },
  response: { ...metadata, 'aiOverview?': answer },
  rows: null,
  answer: { blocks: 'aiOverview.textBlocks', references: 'aiOverview.references' },
});
