import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { byPage, hasNext, organic, page, params, sent, sentPage } from './shared.ts';

export const lightSearch = madeOperation({
  get: '/search',
  about: 'Web pages, with a smaller response.',
  query: { engine: 'google_light', ...sent, ...sentPage },
  params: { ...params, ...page, location: shared.location },
  response: { 'organic_results?': [organic as typeof organic], 'related_questions?': 'array', ...hasNext },
  rows: 'organic_results',
  columns: { page_rank: 'position' },
  ...byPage,
});
