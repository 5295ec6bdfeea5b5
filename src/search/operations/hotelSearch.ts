import { shared, tokenPaging } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { forms, someOf } from '../forms.ts';
import { atLeast, asManyAs, later } from '../rules.ts';

const spec = {
  name: 'hotelSearch',
  title: 'Hotel search',
  group: 'Commerce and travel',
  get: '/hotels/search',
  about: 'Hotels and holiday homes for given dates. Only the list of advertised ones is documented. To read the others, name their list.',
  params: {
    query: { type: 'string', required: true, about: 'a destination or a hotel' },
    check_in_date: { type: 'string', required: true, format: 'date', about: 'first night, as YYYY-MM-DD' },
    check_out_date: { type: 'string', required: true, format: 'date', about: 'day of departure, as YYYY-MM-DD' },
    next_page_token: shared.next_page_token,
    adults: { type: 'integer', min: 0, default: 2, about: 'number of adults' },
    children: { type: 'integer', min: 0, default: 0, about: 'number of children' },
    children_ages: { type: 'string', form: forms.ages, about: 'ages of the children, separated by commas' },
    html: shared.html,
    language: shared.language,
    country: shared.country,
    currency: { type: 'string', form: forms.currency, default: 'USD', about: 'currency of the prices, as a three-letter ISO code' },
    sort_by: {
      type: 'string',
      oneOf: ['3', '8', '13'],
      about: 'what comes first: lowest price (3), highest rating (8) or most reviews (13)',
    },
    min_price: { type: 'string', form: forms.number, about: 'lowest price of the stay' },
    max_price: { type: 'string', form: forms.number, about: 'highest price of the stay' },
    property_types: { type: 'string', about: 'types of hotel or holiday home, by their ids' },
    amenities: { type: 'string', known: ['35'], about: 'amenities that the property must have, by ids such as 35 for free Wi-Fi' },
    rating: { type: 'string', oneOf: ['7', '8', '9'], about: 'guest rating of at least 3.5 (7), 4.0 (8) or 4.5 (9)' },
    brands: { type: 'string', form: forms.ids, from: 'brands', about: 'ids of hotel brands, separated by commas' },
    hotel_class: {
      type: 'string',
      form: someOf('2', '3', '4', '5'),
      about: 'number of stars, or several numbers separated by commas',
    },
    free_cancellation: { type: 'string', oneOf: ['1', 'true'], about: 'only properties with free cancellation' },
    special_offers: { type: 'string', oneOf: ['1', 'true'], about: 'only properties with a special offer' },
    eco_certified: { type: 'string', oneOf: ['1', 'true'], about: 'only properties with an ecological certificate' },
    vacation_rentals: { type: 'boolean', default: false, about: 'true searches holiday homes' },
    bedrooms: { type: 'string', form: forms.count, about: 'at least this many bedrooms (holiday homes)' },
    bathrooms: { type: 'string', form: forms.count, about: 'at least this many bathrooms (holiday homes)' },
    property_token: { type: 'string', from: 'an earlier response', about: 'shows the details of this property' },
  },
  rules: [later('check_in_date', 'check_out_date'), asManyAs('children_ages', 'children', 0), atLeast('min_price', 'max_price')],
  response: {
    ads: [
      {
        title: 'string',
        source: 'string',
        source_icon: 'string',
        link: 'string',
        property_token: 'string',
        gps_coordinates: { latitude: 'number', longitude: 'number' },
        thumbnail: 'string',
        price: 'string',
        'reviews?': 'integer|null',
        'overall_rating?': 'number|null',
        amenities: ['string'],
        'hotel_class?': 'integer|null',
        free_cancellation: 'boolean',
      },
    ],
    brands: [{ id: 'integer', name: 'string', children: [{ id: 'integer', name: 'string' }] }],
  },
  rows: 'ads',
  // The rows that aren't advertised are in a list that isn't documented, so what is in this one says nothing about the end.
  listUndocumented: true,
  // What the response of a property holds isn't documented.
  variants: { param: 'property_token', values: { '*': { response: 'object', rows: null } } },
  ...tokenPaging,
} as const;

export const hotelSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type HotelSearchQuery = QueryOf<typeof spec>;
export type HotelSearchData = DataOf<typeof spec>;
export type HotelAd = RowOf<typeof spec>;
