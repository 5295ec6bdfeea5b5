import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { answer, metadata, params, sent } from './shared.ts';

export const aiMode = madeOperation({
  get: '/scrape/google/ai-mode',
  about: 'A generated answer to a question, with its sources.',
  query: sent,
  params: {
    ...params,
    location: shared.location,
    uule: shared.uule,
    continuable: { type: 'boolean', about: 'true: the conversation can go on' },
    subsequentRequestToken: { type: 'string', from: 'an earlier response', about: 'goes on with this conversation' },
  },
  response: { ...metadata, ...answer },
  rows: null,
  answer: { blocks: 'textBlocks', references: 'references' },
});
