import { madeOperation } from '../../contract/madeOperation.ts';
import { head, params, sent } from './shared.ts';

export const autocomplete = madeOperation({
  get: '/search.json',
  about: 'What the search box suggests.',
  query: { engine: 'google_autocomplete', ...sent },
  params: {
    ...params,
    cp: { type: 'integer', min: 0, about: 'where the cursor is in the text' },
    client: { type: 'string', about: 'the program that asks, such as chrome or toolbar' },
  },
  response: {
    ...head,
    'suggestions?': [{ value: 'string', 'relevance?': 'integer', 'type?': 'string' }],
    'verbatim_relevance?': 'integer',
  },
  rows: 'suggestions',
});
