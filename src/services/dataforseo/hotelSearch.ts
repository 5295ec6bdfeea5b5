import { madeOperation } from '../../contract/madeOperation.ts';
import { hotelSearch as ours } from '../../search/operations/hotelSearch.ts';
import { depth, params, result, task } from './shared.ts';

const { check_in_date, check_out_date, adults, currency, sort_by, rating, free_cancellation, vacation_rentals } = ours.params;

/** Prices are those of a night here, and children, stars and amenities are lists. So our parameters for these are missing. */
export const hotelSearch = madeOperation({
  post: '/business_data/google/hotel_searches/live',
  about: 'Hotels and holiday homes for given dates.',
  body: [
    {
      ...task,
      check_in: '${check_in_date}',
      check_out: '${check_out_date}',
      adults: '${adults}',
      currency: '${currency}',
      sort_by: '${sort_by}',
      min_rating: '${rating}',
      free_cancellation: '${free_cancellation}',
      is_vacation_rentals: '${vacation_rentals}',
      depth: '${depth}',
    },
  ],
  params: {
    ...params,
    check_in_date,
    check_out_date,
    adults,
    currency,
    sort_by: { ...sort_by, values: { 3: 'lowest_price', 8: 'highest_rating', 13: 'most_reviewed' } },
    rating: { ...rating, values: { 7: 3.5, 8: 4, 9: 4.5 } },
    free_cancellation: { ...free_cancellation, values: { 1: true, true: true } },
    vacation_rentals,
    ...depth(18, 140),
  },
  response: {
    ...result,
    items: {
      $nullable: [
        {
          type: 'string',
          'hotel_identifier?': 'string',
          'title?': 'string|null',
          'stars?': 'integer|null',
          'is_paid?': 'boolean|null',
          'location?': { $nullable: { 'latitude?': 'number|null', 'longitude?': 'number|null' } },
          'reviews?': { $nullable: { 'value?': 'number|null', 'votes_count?': 'integer|null' } },
          'overview_images?': 'array|null',
          'prices?': { $nullable: { 'price?': 'number|null', 'currency?': 'string|null' } },
        },
      ],
    },
  },
  rows: 'items[type=hotel_search_item]',
  columns: {
    property_token: 'hotel_identifier',
    hotel_class: 'stars',
    gps_coordinates: 'location',
    overall_rating: 'reviews.value',
    reviews: 'reviews.votes_count',
    price: 'prices.price',
  },
  id: 'property_token',
});
