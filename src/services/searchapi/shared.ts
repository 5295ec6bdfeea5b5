import { shared } from '../../search/shared.ts';

export const query = { type: 'string', required: true, about: 'what to search for' } as const;

/** What most of its engines take, and what it is called there. */
export const params = { query, country: shared.country, language: shared.language } as const;
export const sent = { q: '${query}', gl: '${country}', hl: '${language}' } as const;

export const page = { page: { type: 'integer', min: 1, default: 1, about: 'results page, counted from 1' } } as const;
export const sentPage = { page: '${page:1}' } as const;
/** What searches of a Google domain take. Periods of time are in `time`. */
export const ofDomain = {
  ...params,
  ...page,
  domain: shared.domain,
  location: shared.location,
  uule: shared.uule,
  lr: shared.lr,
  cr: shared.cr,
  safe: shared.safe,
  nfpr: shared.nfpr,
  filter: shared.filter,
} as const;
export const sentToDomain = { ...sent, google_domain: '${domain}' } as const;

export const times = {
  'qdr:h': 'last_hour',
  'qdr:d': 'last_day',
  'qdr:w': 'last_week',
  'qdr:m': 'last_month',
  'qdr:y': 'last_year',
} as const;
export const time = {
  tbs: {
    type: 'string',
    oneOf: ['qdr:h', 'qdr:d', 'qdr:w', 'qdr:m', 'qdr:y'],
    values: times,
    about: 'from the last hour (qdr:h), day (qdr:d), week (qdr:w), month (qdr:m) or year (qdr:y)',
  },
  time_period_min: { type: 'string', about: 'first day, as MM/DD/YYYY' },
  time_period_max: { type: 'string', about: 'last day, as MM/DD/YYYY' },
} as const;
export const sentTime = { time_period: '${tbs}' } as const;

/** A response without rows may have only this field. It shows that the response is a page. */
export const head = { 'search_metadata?': 'object' } as const;

/** `next` is an address at Google, so it only shows that there is a next page. */
export const byPage = { more: 'pagination.next' } as const;
export const hasNext = { ...head, 'pagination?': { 'current?': 'integer', 'next?': 'string' } } as const;

/** Pages by a token. The last one has none. */
export const token = { next_page_token: shared.next_page_token } as const;
export const sentToken = { next_page_token: '${cursor}' } as const;
export const byToken = { next: 'pagination.next_page_token' } as const;
export const hasToken = { ...head, 'pagination?': { 'next_page_token?': 'string' } } as const;

/** A row of web search. Its position counts the rows of a page. */
export const organic = {
  position: 'integer',
  title: 'string',
  link: 'string',
  'source?': 'string',
  'domain?': 'string',
  'displayed_link?': 'string',
  'snippet?': 'string',
  'snippet_highlighted_words?': ['string'],
  'date?': 'string',
  'thumbnail?': 'string',
  'favicon?': 'string',
  'sitelinks?': 'object',
  'rich_snippet?': 'object',
} as const;

/** A part of a generated answer, and a source that it names. */
const block = {
  type: '~header|paragraph|unordered_list|ordered_list|table|code_blocks',
  'answer?': 'string',
  'items?': 'array',
  'table?': 'object',
  'code?': 'string',
  'language?': 'string',
  'reference_indexes?': ['integer'],
} as const;
const reference = { 'index?': 'integer', 'title?': 'string', link: 'string', 'snippet?': 'string', 'source?': 'string' } as const;
export const answered = {
  'text_blocks?': [block as typeof block],
  'reference_links?': [reference as typeof reference],
  'markdown?': 'string',
} as const;

/** A place on the map. */
export const place = {
  'position?': 'integer',
  title: 'string',
  'place_id?': 'string',
  'data_id?': 'string',
  'ludocid?': 'string',
  'kgmid?': 'string',
  'gps_coordinates?': { latitude: 'number', longitude: 'number' },
  'rating?': 'number',
  'reviews?': 'integer',
  'price?': 'string',
  'type?': 'string',
  'types?': ['string'],
  'address?': 'string',
  'open_state?': 'string',
  'hours?': 'string',
  'open_hours?': { $map: 'string' },
  'phone?': 'string',
  'website?': 'string',
  'domain?': 'string',
  'description?': 'string',
  'extensions?': 'array',
  'thumbnail?': 'string',
} as const;
export const placeColumns = { data_cid: 'ludocid', operating_hours: 'open_hours', rank: 'position' } as const;

export const hotel = {
  'type?': 'string',
  name: 'string',
  'property_token?': 'string',
  'price_per_night?': { 'price?': 'string', 'extracted_price?': 'number' },
  'total_price?': { 'price?': 'string', 'extracted_price?': 'number' },
  'images?': [{ 'thumbnail?': 'string', 'original?': 'unknown' }],
  'gps_coordinates?': { latitude: 'number', longitude: 'number' },
  'hotel_class?': 'unknown',
  'rating?': 'number',
  'reviews?': 'integer',
  'amenities?': ['string'],
} as const;
export const hotelColumns = { title: 'name', price: 'price_per_night.price', overall_rating: 'rating' } as const;
