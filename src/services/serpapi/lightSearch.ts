import { madeOperation } from '../../contract/madeOperation.ts';
import { hasNext, ofDomain, organic, sentToDomain, tens } from './shared.ts';

export const lightSearch = madeOperation({
  get: '/search.json',
  about: 'Web pages, with a smaller response.',
  query: { engine: 'google_light', ...sentToDomain, start: '${offset}' },
  params: ofDomain,
  response: { 'organic_results?': [organic as typeof organic], ...hasNext },
  rows: 'organic_results',
  columns: { page_rank: 'position' },
  ...tens,
});
