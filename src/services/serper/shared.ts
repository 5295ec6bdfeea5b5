import { shared } from '../../search/shared.ts';

/** What most of its searches take. */
export const params = {
  query: { type: 'string', required: true, about: 'what to search for' },
  country: shared.country,
  language: shared.language,
  location: shared.location,
} as const;

export const filters = {
  tbs: shared.tbs,
  page: { type: 'integer', min: 1, default: 1, about: 'results page, counted from 1' },
} as const;

export const body = { q: '${query}', gl: '${country}', hl: '${language}', location: '${location}' } as const;

/** Only a page without rows shows the end. */
export const paged = { ...body, page: '${page:1}' } as const;
