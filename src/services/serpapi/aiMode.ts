import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { block, params, reference, sent } from './shared.ts';

export const aiMode = madeOperation({
  get: '/search.json',
  about: 'A generated answer to a question, with its sources.',
  query: { engine: 'google_ai_mode', ...sent },
  params: {
    ...params,
    location: shared.location,
    uule: shared.uule,
    subsequent_request_token: { type: 'string', from: 'an earlier response', about: 'goes on with this conversation' },
  },
  response: {
    'text_blocks?': [block as typeof block],
    'references?': [reference as typeof reference],
    'reconstructed_markdown?': 'string',
    'subsequent_request_token?': 'string',
    'inline_images?': 'array',
    'shopping_results?': 'array',
    'local_results?': 'array',
  },
  rows: null,
  answer: { blocks: 'text_blocks', references: 'references' },
});
