import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { answered, params, sent } from './shared.ts';

export const aiMode = madeOperation({
  get: '/search',
  about: 'A generated answer to a question, with its sources.',
  query: { engine: 'google_ai_mode', ...sent },
  params: { ...params, location: shared.location },
  response: { ...answered, 'web_results?': 'array' },
  rows: null,
  answer: { blocks: 'text_blocks', references: 'reference_links' },
});
