import { madeOperation } from '../../contract/madeOperation.ts';
import { body, params } from './shared.ts';

export const autocomplete = madeOperation({
  post: '/autocomplete',
  about: 'What the search box suggests.',
  body,
  params,
  response: { 'suggestions?': [{ value: 'string' }], 'credits?': 'integer' },
  rows: 'suggestions',
});
