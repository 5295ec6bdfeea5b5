import { madeOperation } from '../../contract/madeOperation.ts';
import { head, params, sent } from './shared.ts';

const clients = ['chrome', 'chrome-omni', 'gws-wiz', 'safari', 'firefox', 'psy-ab', 'toolbar', 'youtube', 'gws-wiz-local'] as const;

export const autocomplete = madeOperation({
  get: '/search.json',
  about: 'What the search box suggests.',
  query: { engine: 'google_autocomplete', ...sent },
  params: {
    ...params,
    cp: { type: 'integer', min: 0, about: 'where the cursor is in the text' },
    client: { type: 'string', oneOf: clients, about: 'the program that asks' },
  },
  response: {
    ...head,
    'suggestions?': [{ value: 'string', 'relevance?': 'integer', 'type?': 'string' }],
    'verbatim_relevance?': 'integer',
  },
  rows: 'suggestions',
});
