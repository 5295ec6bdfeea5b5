/** Parameters that several operations share. */
export const shared = {
  language: { type: 'string', format: 'language', default: 'en', about: 'language of the results, a two-letter code' },
  country: { type: 'string', format: 'country', default: 'us', about: 'country to search from, a two-letter code' },
  html: { type: 'boolean', default: false, about: 'true adds the raw HTML of the results page' },
  page: { type: 'integer', min: 0, default: 0, about: 'results page, counted from 0' },
} as const;
