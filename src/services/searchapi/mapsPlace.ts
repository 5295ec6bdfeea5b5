import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { place, placeColumns } from './shared.ts';

export const mapsPlace = madeOperation({
  get: '/search',
  about: 'One place on the map, by one of its ids.',
  query: { engine: 'google_maps_place', gl: '${country}', hl: '${language}' },
  params: {
    place_id: { type: 'string', from: 'mapsSearch', about: 'the place' },
    data_id: { type: 'string', from: 'mapsSearch', about: 'the place, by another id' },
    country: shared.country,
    language: shared.language,
  },
  response: { 'place_result?': place },
  rows: 'place_result',
  columns: placeColumns,
});
