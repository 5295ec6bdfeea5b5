import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { forms } from '../forms.ts';

const spec = {
  name: 'mapsSearch',
  title: 'Maps search',
  group: 'Maps',
  get: '/maps/search',
  about: 'Places on the map.',
  params: {
    query: { type: 'string', required: true, about: 'what to search for' },
    ll: {
      type: 'string',
      form: forms.coordinates,
      about: 'centre and zoom, as @latitude,longitude,zoom, such as @40.74,-73.98,14z',
    },
    domain: shared.domain,
    language: shared.language,
    country: shared.country,
    data: { type: 'string', about: 'map filter, mostly used to find one place (advanced)' },
    place_id: { type: 'string', from: 'mapsSearch, or local results of webSearch', about: 'finds this one place' },
    page: { type: 'integer', min: 0, step: 20, default: 0, about: 'how many places to skip: 0, 20, 40 …' },
  },
  response: {
    search_results: [
      {
        title: 'string',
        place_id: 'string',
        data_id: 'string',
        data_cid: 'string',
        gps_coordinates: { latitude: 'number', longitude: 'number' },
        provider_id: 'string',
        'rating?': 'number|null',
        'reviews?': 'integer|null',
        'price?': 'string',
        type: 'string',
        types: ['string'],
        type_ids: ['string'],
        // One category an object; the same category may come again.
        extensions: [
          {
            $map: ['string'],
            $known: {
              'from_the_business?': ['string'],
              'service_options?': ['string'],
              'highlights?': ['string'],
              'popular_for?': ['string'],
              'accessibility?': ['string'],
              'offerings?': ['string'],
              'dining_options?': ['string'],
              'amenities?': ['string'],
              'atmosphere?': ['string'],
              'crowd?': ['string'],
              'payments?': ['string'],
              'parking?': ['string'],
              'planning?': ['string'],
              'recycling?': ['string'],
              'children?': ['string'],
              'pets?': ['string'],
            },
          },
        ],
        address: 'string',
        open_state: 'string',
        hours: 'string',
        'operating_hours?': {
          'monday?': 'string',
          'tuesday?': 'string',
          'wednesday?': 'string',
          'thursday?': 'string',
          'friday?': 'string',
          'saturday?': 'string',
          'sunday?': 'string',
        },
        'phone?': 'string',
        'website?': 'string',
        'unclaimed_business?': 'boolean',
        thumbnail: 'string',
        image: 'string',
        'engine_maps_url?': 'string: the address of the place on the map; the service has its own name in place of engine',
        rank: 'integer',
      },
    ],
  },
  rows: 'search_results',
  id: 'data_id',
  query: { page: '${offset}' },
  size: 20,
  ownPaging: { needs: ['ll'] },
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
} as const;

export const mapsSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type MapsSearchQuery = QueryOf<typeof spec>;
export type MapsSearchData = DataOf<typeof spec>;
export type Place = RowOf<typeof spec>;
