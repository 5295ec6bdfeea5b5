import { shared } from '../../search/shared.ts';

export const query = { type: 'string', required: true, about: 'what to search for' } as const;

/** What most of its engines take, and what it is called there. */
export const params = { query, country: shared.country, language: shared.language } as const;
export const sent = { q: '${query}', gl: '${country}', hl: '${language}' } as const;

/** What searches of a Google domain take. */
export const domainParams = {
  ...params,
  domain: shared.domain,
  location: shared.location,
  uule: shared.uule,
  lr: shared.lr,
  safe: shared.safe,
  nfpr: shared.nfpr,
  filter: shared.filter,
} as const;
export const sentToDomain = { ...sent, google_domain: '${domain}' } as const;

/** A response without rows may have only this field. It shows that the response is a page. */
export const head = { 'search_metadata?': 'object' } as const;

/** Pages by the number of rows to skip. The last one has no address of a next one. */
export const start = { start: { type: 'integer', min: 0, default: 0, about: 'rows to skip' } } as const;
export const by = <const Size extends number>(size: Size) => ({ size, more: 'serpapi_pagination.next' }) as const;
export const tens = by(10);
export const hasNext = { ...head, 'serpapi_pagination?': { 'next?': 'string', 'current?': 'integer' } } as const;

/** What searches with pages of ten rows take. */
export const ofDomain = { ...domainParams, ...start } as const;

/** Pages by a token. The last one has none. */
export const token = { next_page_token: shared.next_page_token } as const;
export const sentToken = { next_page_token: '${cursor}' } as const;
export const byToken = { next: 'serpapi_pagination.next_page_token' } as const;
export const hasToken = { ...head, 'serpapi_pagination?': { 'next?': 'string', 'next_page_token?': 'string' } } as const;

/** A row of web search. Its position counts the rows of a page. */
export const organic = {
  position: 'integer',
  title: 'string',
  link: 'string',
  'displayed_link?': 'string',
  'favicon?': 'string',
  'snippet?': 'string',
  'snippet_highlighted_words?': ['string'],
  'date?': 'string',
  'source?': 'string',
  'thumbnail?': 'string',
  'sitelinks?': 'object',
  'rich_snippet?': 'object',
} as const;

/** A row of news: an article, or several under one title. */
const article = {
  'position?': 'integer',
  'title?': 'string',
  'link?': 'string',
  'source?': { name: 'string', 'icon?': 'string', 'authors?': ['string'] },
  'thumbnail?': 'string',
  'date?': 'string',
  'iso_date?': 'string: ISO 8601',
} as const;
export const news = {
  params: { country: shared.country, language: shared.language },
  response: {
    ...head,
    'news_results?': [
      { ...article, 'highlight?': article as typeof article, 'stories?': [article as typeof article], 'story_token?': 'string' },
    ],
    'menu_links?': [{ title: 'string', topic_token: 'string' }],
  },
  rows: 'news_results',
  columns: { source: 'source.name', icon: 'source.icon', authors: 'source.authors', date: 'iso_date', rank: 'position' },
} as const;

/** A part of a generated answer, and a source that it names. */
export const block = {
  type: '~paragraph|heading|list|table|code_block',
  'snippet?': 'string',
  'list?': 'array',
  'reference_indexes?': ['integer'],
} as const;
export const reference = { index: 'integer', 'title?': 'string', link: 'string', 'snippet?': 'string', 'source?': 'string' } as const;

/** A place on the map. */
export const place = {
  'position?': 'integer',
  title: 'string',
  'place_id?': 'string',
  'data_id?': 'string',
  'data_cid?': 'string',
  'gps_coordinates?': { latitude: 'number', longitude: 'number' },
  'provider_id?': 'string',
  'rating?': 'number',
  'reviews?': 'integer',
  'price?': 'string',
  'type?': 'string',
  'types?': ['string'],
  'type_ids?': ['string'],
  'address?': 'string',
  'open_state?': 'string',
  'hours?': 'string',
  'operating_hours?': { $map: 'string' },
  'phone?': 'string',
  'website?': 'string',
  'description?': 'string',
  'extensions?': 'array',
  'service_options?': 'object',
  'thumbnail?': 'string',
  'unclaimed_listing?': 'boolean',
} as const;
