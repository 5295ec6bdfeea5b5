import { madeOperation } from '../../contract/madeOperation.ts';
import { hotelSearch as ours } from '../../search/operations/hotelSearch.ts';
import { byToken, hasToken, sentToken, sent, token } from './shared.ts';

const { html: _html, next_page_token: _token, property_token: _property, ...params } = ours.params;
const rate = { 'lowest?': 'string', 'extracted_lowest?': 'number' } as const;

export const hotelParams = params;
export const hotel = {
  'type?': 'string',
  name: 'string',
  'description?': 'string',
  'link?': 'string',
  'property_token?': 'string',
  'gps_coordinates?': { latitude: 'number', longitude: 'number' },
  'check_in_time?': 'string',
  'check_out_time?': 'string',
  'rate_per_night?': rate as typeof rate,
  'total_rate?': rate as typeof rate,
  'prices?': 'array',
  'nearby_places?': 'array',
  'hotel_class?': 'string',
  'extracted_hotel_class?': 'integer',
  'images?': [{ 'thumbnail?': 'string', 'original_image?': 'string' }],
  'overall_rating?': 'number',
  'reviews?': 'integer',
  'ratings?': 'array',
  'location_rating?': 'number',
  'amenities?': ['string'],
  'deal?': 'string',
} as const;
export const hotelColumns = { title: 'name', price: 'rate_per_night.lowest', hotel_class: 'extracted_hotel_class' } as const;

export const hotelSearch = madeOperation({
  get: '/search.json',
  about: 'Hotels and holiday homes for given dates.',
  query: { engine: 'google_hotels', ...sent, ...sentToken },
  params: { ...params, ...token },
  response: {
    'properties?': [hotel as typeof hotel],
    'ads?': 'array',
    'brands?': [{ id: 'integer', name: 'string', 'children?': [{ id: 'integer', name: 'string' }] }],
    ...hasToken,
  },
  rows: 'properties',
  columns: hotelColumns,
  id: 'property_token',
  ...byToken,
});
