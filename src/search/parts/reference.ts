/** A source that a generated answer names. */
export const reference = {
  title: 'string',
  link: 'string',
  'snippet?': 'string',
  source: 'string: may be empty',
  index: 'integer',
} as const;
