import { shared } from '../../search/shared.ts';

/** What most of its searches take, and what it is called there. */
export const params = {
  query: { type: 'string', required: true, about: 'what to search for' },
  country: shared.country,
  language: shared.language,
} as const;
export const sent = { q: '${query}', gl: '${country}', hl: '${language}' } as const;

/** What searches of a Google domain take. */
export const domainParams = {
  ...params,
  domain: shared.domain,
  location: shared.location,
  uule: shared.uule,
  tbs: shared.tbs,
  safe: shared.safe,
  filter: shared.filter,
} as const;

export const deviceType = { type: 'string', oneOf: ['desktop', 'mobile', 'tablet'], about: 'what the page is made for' } as const;

/** Pages by the number of rows to skip. The last one has no address of a next one. */
export const start = { start: { type: 'integer', min: 0, default: 0, about: 'rows to skip' } } as const;
export const by = <const Size extends number>(size: Size) => ({ size, more: 'pagination.next' }) as const;
export const hasNext = { 'pagination?': { 'next?': 'string' } } as const;

/** Pages by a token. The last one has none. */
export const sentToken = { nextPageToken: '${cursor}' } as const;
export const byToken = { next: 'pagination.nextPageToken' } as const;
export const hasToken = { 'pagination?': { 'nextPageToken?': 'string' } } as const;

/** If a list is empty, it is left out. Then this field shows that the response is a page. */
export const metadata = { requestMetadata: { 'id?': 'string', 'status?': '~ok|error', 'url?': 'string' } } as const;

/** A generated answer. */
export const answer = { 'textBlocks?': 'array', 'references?': 'array' } as const;

/** A place on the map. */
export const place = {
  'position?': 'integer',
  title: 'string',
  'placeId?': 'string',
  'dataId?': 'string',
  'address?': 'string',
  'gpsCoordinates?': { latitude: 'number', longitude: 'number' },
  'rating?': 'number',
  'reviews?': 'integer',
  'type?': 'string',
  'types?': ['string'],
  'price?': 'string',
  'phone?': 'string',
  'website?': 'string',
  'thumbnail?': 'string',
  'openState?': 'string',
  'workingHours?': { 'timezone?': 'string', 'days?': [{ day: 'string', time: 'string' }] },
  'serviceOptions?': 'unknown',
  'menu?': 'unknown',
} as const;
export const placeColumns = {
  place_id: 'placeId',
  data_id: 'dataId',
  'gps_coordinates.latitude': 'gpsCoordinates.latitude',
  'gps_coordinates.longitude': 'gpsCoordinates.longitude',
  open_state: 'openState',
  rank: 'position',
} as const;

/** A row of web search. Its position counts the rows of a page. */
const organic = {
  'position?': 'integer',
  title: 'string',
  link: 'string',
  'displayedLink?': 'string',
  'source?': 'string',
  'snippet?': 'string',
  'snippetHighlitedWords?': ['string'],
  'date?': 'string',
  'images?': 'array',
} as const;

/** What pages of web search have, whatever their size. */
export const pages = {
  response: {
    ...metadata,
    'searchInformation?': { 'totalResults?': 'integer' },
    'organicResults?': [organic as typeof organic],
    'aiOverview?': {
      ...answer,
      'pageToken?': 'string: for aiOverview, within about four minutes',
      'hasdataLink?': 'string',
    },
    'relatedQuestions?': 'array',
    'relatedSearches?': 'array',
    'perspectives?': 'array',
    'immersiveProducts?': 'array',
    ...hasNext,
  },
  rows: 'organicResults',
  columns: { displayed_link: 'displayedLink', page_rank: 'position' },
  ...by(10),
} as const;

/** News: an article, or several under one title. */
export const news = {
  get: '/scrape/google/news',
  response: {
    ...metadata,
    'newsResults?': [
      {
        'position?': 'integer',
        'title?': 'string',
        'link?': 'string',
        'source?': { 'name?': 'string', 'icon?': 'string' },
        'thumbnail?': 'string',
        'date?': 'string',
      },
    ],
    'menuLinks?': 'array',
    'relatedTopics?': 'array',
    'relatedPublications?': 'array',
  },
  rows: 'newsResults',
  columns: { source: 'source.name', icon: 'source.icon', rank: 'position' },
} as const;
