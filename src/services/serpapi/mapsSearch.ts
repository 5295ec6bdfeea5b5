import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { shared } from '../../search/shared.ts';
import { by, hasNext, params, place, sentToDomain, start } from './shared.ts';

export const placeColumns = { unclaimed_business: 'unclaimed_listing', rank: 'position' } as const;

/** After about 100 places, a search returns others and repeats some. */
export const mapsSearch = madeOperation({
  get: '/search.json',
  about: 'Places on the map.',
  query: { engine: 'google_maps', type: 'search', ...sentToDomain, start: '${offset}' },
  params: {
    ...params,
    ll: ours.params.ll,
    location: shared.location,
    domain: shared.domain,
    ...start,
    nearby: { type: 'boolean', about: 'true: only places near the point' },
  },
  response: { 'local_results?': [place as typeof place], 'place_results?': 'object', 'ads?': 'array', ...hasNext },
  rows: 'local_results',
  columns: placeColumns,
  id: 'data_id',
  ...by(20),
  splits: { full: 100, area: ours.spec.splits.area },
});
