import { madeOperation } from '../../contract/madeOperation.ts';
import { hotelSearch as ours } from '../../search/operations/hotelSearch.ts';
import { byToken, hasToken, hotel, hotelColumns, sent, sentToken, token } from './shared.ts';

const { query, check_in_date, check_out_date, adults, children_ages, language, country, currency } = ours.params;
export const stay = { query, check_in_date, check_out_date, adults, children_ages, language, country, currency } as const;
const { sort_by, min_price, max_price, property_types, amenities, rating, brands, hotel_class, bedrooms, bathrooms } = ours.params;
const { free_cancellation, special_offers, eco_certified, vacation_rentals } = ours.params;
const yes = { 1: true, true: true } as const;

/** There is no `children`: their number follows from `children_ages`. */
export const hotelSearch = madeOperation({
  get: '/search',
  about: 'Hotels and holiday homes for given dates.',
  query: {
    engine: 'google_hotels',
    ...sent,
    price_min: '${min_price}',
    price_max: '${max_price}',
    property_type: '${vacation_rentals}',
    ...sentToken,
  },
  params: {
    ...stay,
    sort_by: { ...sort_by, values: { 3: 'lowest_price', 8: 'highest_rating', 13: 'most_reviewed' } },
    min_price,
    max_price,
    property_types,
    amenities,
    rating,
    brands,
    hotel_class,
    free_cancellation: { ...free_cancellation, values: yes },
    special_offers: { ...special_offers, values: yes },
    eco_certified: { ...eco_certified, values: yes },
    vacation_rentals: { ...vacation_rentals, values: { true: 'vacation_rental', false: 'hotel' } },
    bedrooms,
    bathrooms,
    ...token,
  },
  response: { 'properties?': [hotel as typeof hotel], 'brands?': 'array', ...hasToken },
  rows: 'properties',
  columns: hotelColumns,
  id: 'property_token',
  ...byToken,
});
