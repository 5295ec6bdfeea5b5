/** A source that a generated answer names. */
export const reference = {
  title: 'string',
  link: 'string',
  'snippet?': 'string',
  source: 'string: may be empty',
  index: 'integer',
} as const;

/** A paragraph with the words that were made to stand out. */
export const paragraph = {
  type: '=paragraph',
  snippet: 'string',
  snippet_highlighted_words: ['string'],
} as const;

/** A list whose entries may lead to a page. */
export const linkedList = {
  type: '=list',
  list: [{ title: 'string', snippet: 'string', 'link?': 'string' }],
} as const;
