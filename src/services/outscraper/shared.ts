import { shared } from '../../search/shared.ts';

/** What its searches take. All are requested with `async`, because some responses take minutes. */
export const params = {
  query: { type: 'string', required: true, about: 'what to search for' },
  language: shared.language,
} as const;
const upper = Object.fromEntries(
  [
    'ae', 'ar', 'at', 'au', 'be', 'br', 'ca', 'ch', 'cl', 'cn', 'co', 'cz', 'de', 'dk', 'es', 'fi', 'fr', 'gb', 'gr', 'hk', 'hu', 'id',
    'ie', 'il', 'in', 'it', 'jp', 'kr', 'mx', 'my', 'nl', 'no', 'nz', 'pe', 'ph', 'pl', 'pt', 'ro', 'sa', 'se', 'sg', 'th', 'tr', 'tw',
    'ua', 'us', 'vn', 'za',
  ].map((code) => [code, code.toUpperCase()]),
); // prettier-ignore
/** It takes countries in capital letters. */
export const country = { ...shared.country, values: upper } as const;
export const sent = { query: '${query}', language: '${language}', async: true } as const;

/** The address of the result is made from its id: the one in the response may be on another host. The result is gone after some hours. */
export const job = {
  at: 'id',
  get: '/requests/${id}',
  until: { at: 'status', is: ['Success'] },
  everyMs: 5000,
} as const;

/** A place, as in every response about places. */
export const place = {
  'query?': 'string',
  'name?': 'string',
  'full_address?': 'string|null',
  'borough?': 'string|null',
  'street?': 'string|null',
  'city?': 'string|null',
  'postal_code?': 'string|null',
  'country?': 'string|null',
  'country_code?': 'string|null',
  'state?': 'string|null',
  'latitude?': 'number|null',
  'longitude?': 'number|null',
  'time_zone?': 'string|null',
  'site?': 'string|null',
  'phone?': 'string|null',
  'type?': 'string|null',
  'category?': 'string|null',
  'subtypes?': 'string|null: such as Bar, Pizza restaurant',
  'rating?': 'number|null',
  'reviews?': 'integer|null',
  'reviews_per_score?': 'object|null',
  'reviews_tags?': 'array|null',
  'photos_count?': 'integer|null',
  'photo?': 'string|null',
  'logo?': 'string|null',
  'working_hours?': 'object|null',
  'business_status?': 'string|null',
  'about?': 'object|null',
  'range?': 'string|null',
  'description?': 'string|null',
  'verified?': 'boolean',
  'owner_id?': 'string|null',
  'owner_title?': 'string|null',
  'location_link?': 'string',
  'google_id?': 'string',
  'place_id?': 'string',
  'cid?': 'string',
} as const;
