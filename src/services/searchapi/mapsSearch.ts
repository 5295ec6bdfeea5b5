import { madeOperation } from '../../contract/Operation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { head, page, params, place, placeColumns, sent, untilEmpty } from './shared.ts';

/** It gives about 100 to 120 places. */
export const mapsSearch = madeOperation({
  get: '/search',
  about: 'Places on the map.',
  query: { engine: 'google_maps', ...sent },
  params: { ...params, ...page, ll: ours.params.ll },
  response: { ...head, 'local_results?': [place as typeof place], 'ads?': 'array', 'search_information?': 'object' },
  list: 'local_results',
  columns: placeColumns,
  id: 'data_id',
  paging: untilEmpty,
  splits: { full: 100, area: ours.spec.splits.area },
});
