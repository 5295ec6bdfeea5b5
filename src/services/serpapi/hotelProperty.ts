import { madeOperation } from '../../contract/madeOperation.ts';
import { hotelSearch as ours } from '../../search/operations/hotelSearch.ts';
import { hotel, hotelColumns, hotelParams } from './hotelSearch.ts';
import { sent } from './shared.ts';

const { query, check_in_date, check_out_date, adults, children, children_ages, currency, country, language } = hotelParams;

export const hotelProperty = madeOperation({
  get: '/search.json',
  about: 'One hotel or holiday home for given dates, with its prices.',
  query: { engine: 'google_hotels', ...sent },
  params: {
    query,
    property_token: { ...ours.params.property_token, required: true },
    check_in_date,
    check_out_date,
    adults,
    children,
    children_ages,
    currency,
    country,
    language,
  },
  response: hotel,
  rows: null,
  columns: hotelColumns,
});
