import { madeOperation } from '../../contract/madeOperation.ts';
import { scholarAuthor as ours } from '../../search/operations/scholarAuthor.ts';
import { byPage, hasNext, page, sentPage } from './shared.ts';

const { author_id, language } = ours.params;

/** Two guesses: that it has pages, and that articles have an id. */
export const scholarAuthor = madeOperation({
  get: '/search',
  about: 'The articles of one author, and beside them who it is.',
  query: { engine: 'google_scholar_author', hl: '${language}', ...sentPage },
  params: { author_id, language, ...page },
  response: {
    'author?': 'object',
    'articles?': [
      {
        title: 'string',
        'link?': 'string',
        'citation_id?': 'string',
        'authors?': 'string',
        'publication?': 'string',
        'cited_by?': 'unknown',
        'year?': 'unknown',
      },
    ],
    'cited_by?': 'object',
    'public_access?': 'object',
    'co_authors?': 'array',
    ...hasNext,
  },
  rows: 'articles',
  id: 'citation_id',
  ownPaging: { undocumented: true },
  ...byPage,
});
