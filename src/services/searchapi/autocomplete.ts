import { madeOperation } from '../../contract/madeOperation.ts';
import { head, params, sent } from './shared.ts';

export const autocomplete = madeOperation({
  get: '/search',
  about: 'What the search box suggests.',
  query: { engine: 'google_autocomplete', ...sent },
  params,
  response: {
    ...head,
    'suggestions?': [{ value: 'string', 'relevance?': 'integer', 'type?': 'string' }],
    'verbatim_relevance?': 'integer',
  },
  rows: 'suggestions',
});
