import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'autocomplete',
  title: 'Autocomplete',
  group: 'Web search',
  get: '/autocomplete',
  about: 'What the search box suggests, the most relevant first.',
  params: {
    query: { type: 'string', required: true, about: 'the text so far' },
    country: shared.country,
    language: shared.language,
  },
  response: {
    suggestions: [{ value: 'string', relevance: 'integer', type: '~QUERY' }],
    verbatim_relevance: 'integer',
  },
  rows: 'suggestions',
} as const;

export const autocomplete: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type AutocompleteQuery = QueryOf<typeof spec>;
export type AutocompleteData = DataOf<typeof spec>;
export type Suggestion = RowOf<typeof spec>;
