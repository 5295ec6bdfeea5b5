import { madeOperation } from '../../contract/madeOperation.ts';
import { params, resultOf, task } from './shared.ts';

export const autocomplete = madeOperation({
  post: '/serp/google/autocomplete/live/advanced',
  about: 'What the search box suggests.',
  body: [task],
  params,
  response: resultOf({ 'suggestion?': 'string', 'relevance?': 'integer|null', 'suggestion_type?': 'string|null' }),
  rows: 'items[type=autocomplete]',
  columns: { value: 'suggestion' },
});
