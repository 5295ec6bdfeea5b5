import { madeOperation } from '../../contract/Operation.ts';
import { shared } from '../../search/shared.ts';
import { byPage, hasNext, organic, page, params, sent } from './shared.ts';

export const lightSearch = madeOperation({
  get: '/search',
  about: 'Web pages, with a smaller response.',
  query: { engine: 'google_light', ...sent },
  params: { ...params, ...page, location: shared.location },
  response: { 'organic_results?': [organic as typeof organic], 'related_questions?': 'array', ...hasNext },
  list: 'organic_results',
  columns: { page_rank: 'position' },
  paging: byPage,
});
