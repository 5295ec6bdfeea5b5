import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { metadata, place } from './shared.ts';

export const mapsPlace = madeOperation({
  get: '/scrape/google-maps/place',
  about: 'One place on the map.',
  query: { placeId: '${place_id}' },
  params: { place_id: { ...ours.params.place_id, required: true, from: 'mapsSearch', about: 'the place' } },
  response: { ...metadata, 'placeResults?': place },
  rows: null,
});
