import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { head, page, params, place, placeColumns, sent, sentPage } from './shared.ts';

/** A search ends after about 100 to 120 places. */
export const mapsSearch = madeOperation({
  get: '/search',
  about: 'Places on the map.',
  query: { engine: 'google_maps', ...sent, ...sentPage },
  params: { ...params, ...page, ll: ours.params.ll },
  response: { ...head, 'local_results?': [place as typeof place], 'ads?': 'array', 'search_information?': 'object' },
  rows: 'local_results',
  columns: placeColumns,
  id: 'data_id',
  splits: { full: 100, area: ours.spec.splits.area },
});
