import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { placeColumns } from './mapsSearch.ts';
import { place } from './shared.ts';

export const mapsPlace = madeOperation({
  get: '/search.json',
  about: 'One place on the map, by one of its ids.',
  query: { engine: 'google_maps', gl: '${country}', hl: '${language}' },
  params: {
    place_id: { type: 'string', from: 'mapsSearch', about: 'the place' },
    data_cid: { type: 'string', from: 'mapsSearch, or place_id of a local result of webSearch', about: 'the place, by another id' },
    country: shared.country,
    language: shared.language,
  },
  response: { 'place_results?': place },
  rows: 'place_results',
  columns: placeColumns,
});
