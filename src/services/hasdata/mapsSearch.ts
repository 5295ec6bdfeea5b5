import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { shared } from '../../search/shared.ts';
import { hasNext, metadata, params, place, placeColumns, sent, start } from './shared.ts';

export const mapsSearch = madeOperation({
  get: '/scrape/google-maps/search',
  about: 'Places on the map.',
  query: { ...sent, start: '${offset}' },
  params: { ...params, ll: ours.params.ll, domain: shared.domain, ...start },
  response: { ...metadata, 'localResults?': [place as typeof place], ...hasNext },
  rows: 'localResults',
  columns: placeColumns,
  id: 'data_id',
  size: 20,
  ownPaging: { needs: ['ll'] },
  splits: { full: 100, area: ours.spec.splits.area },
});
