import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { shared } from '../../search/shared.ts';
import { depth, params, rating, resultOf, task } from './shared.ts';

/** It needs a country or a place. A place is written like `ll`, but without the @. */
export const mapsSearch = madeOperation({
  post: '/serp/google/maps/live/advanced',
  about: 'Places on the map.',
  body: [{ ...task, location_code: '${country}', location_coordinate: '${ll}', se_domain: '${domain}', depth: '${depth}' }],
  params: {
    ...params,
    ll: { ...ours.params.ll, values: { '@*': '*' } },
    domain: shared.domain,
    ...depth(100, 700),
  },
  response: resultOf({
    'title?': 'string|null',
    'domain?': 'string|null',
    'url?': 'string|null: the website',
    'rating?': rating,
    'snippet?': 'string|null',
    'address?': 'string|null',
    'address_info?': 'object|null',
    'place_id?': 'string|null',
    'feature_id?': 'string|null',
    'cid?': 'string|null',
    'phone?': 'string|null',
    'main_image?': 'string|null',
    'total_photos?': 'integer|null',
    'category?': 'string|null',
    'category_ids?': 'array|null',
    'price_level?': 'string|null',
    'work_hours?': 'object|null',
    'latitude?': 'number|null',
    'longitude?': 'number|null',
    'is_claimed?': 'boolean|null',
  }),
  rows: 'items[type=maps_search]',
  columns: {
    data_id: 'feature_id',
    data_cid: 'cid',
    'gps_coordinates.latitude': 'latitude',
    'gps_coordinates.longitude': 'longitude',
    rating: 'rating.value',
    reviews: 'rating.votes_count',
    price: 'price_level',
    type: 'category',
    type_ids: 'category_ids',
    website: 'url',
    thumbnail: 'main_image',
    rank: 'rank_group',
  },
  id: 'data_id',
  splits: {
    full: 100,
    area: {
      param: 'll',
      write: '@{latitude},{longitude},{zoom}z',
      latitude: 'gps_coordinates.latitude',
      longitude: 'gps_coordinates.longitude',
      words: 'query',
      zoom: [3, 21],
    },
  },
});
