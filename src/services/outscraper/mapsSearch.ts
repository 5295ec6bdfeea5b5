import { madeOperation } from '../../contract/madeOperation.ts';
import { country, job, params, place, sent } from './shared.ts';

/** Coordinates have no zoom here, so the parameter isn't `ll`. */
export const mapsSearch = madeOperation({
  get: '/google-maps-search',
  about: 'Places on the map.',
  query: { ...sent, region: '${country}', coordinates: '${coordinates}', limit: 20, skipPlaces: '${offset}' },
  params: {
    ...params,
    country,
    coordinates: { type: 'string', about: 'where to search, as latitude,longitude' },
  },
  response: { 'data?': [[{ ...place, google_id: 'string' }]], 'status?': 'string' },
  rows: 'data.0',
  columns: {
    title: 'name',
    address: 'full_address',
    data_id: 'google_id',
    data_cid: 'cid',
    'gps_coordinates.latitude': 'latitude',
    'gps_coordinates.longitude': 'longitude',
    website: 'site',
    price: 'range',
    thumbnail: 'photo',
    operating_hours: 'working_hours',
  },
  id: 'data_id',
  size: 20,
  job,
});
