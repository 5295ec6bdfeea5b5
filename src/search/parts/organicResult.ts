/**
 * A result of web and mobile search. Their own rows aren't documented, so these are the fields that light search
 * shows, each of which may be absent.
 */
export const organicResult = {
  'title?': 'string',
  'displayed_link?': 'string',
  'snippet?': 'string',
  'date?': 'string: may be empty',
  'missing?': 'array',
  'link?': 'string',
  'favicon?': 'string',
  'rank?': 'integer',
  'page_rank?': 'integer',
} as const;
