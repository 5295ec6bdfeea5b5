import { madeOperation } from '../../contract/madeOperation.ts';
import { hotelSearch as ours } from '../../search/operations/hotelSearch.ts';
import { stay } from './hotelSearch.ts';

const { query: _, language, ...others } = stay;

/** The fields of its response are unknown. */
export const hotelProperty = madeOperation({
  get: '/search',
  about: 'One hotel or holiday home for given dates.',
  query: { engine: 'google_hotels_property', gl: '${country}', hl: '${language}' },
  params: {
    property_token: { ...ours.params.property_token, required: true },
    ...others,
    language: { type: language.type, about: 'language of the results, with its country: en-US' },
  },
  response: { 'property?': 'object' },
  rows: null,
});
