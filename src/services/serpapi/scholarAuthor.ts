import { madeOperation } from '../../contract/madeOperation.ts';
import { scholarAuthor as ours } from '../../search/operations/scholarAuthor.ts';
import { by, hasNext, start } from './shared.ts';

const { author_id, language, sort } = ours.params;

export const scholarAuthor = madeOperation({
  get: '/search.json',
  about: 'The articles of one author, and beside them who it is.',
  query: { engine: 'google_scholar_author', hl: '${language}', num: 100, start: '${offset}' },
  params: { author_id, language, sort, ...start },
  response: {
    'author?': {
      name: 'string',
      'affiliations?': 'string',
      'email?': 'string',
      'website?': 'string',
      'interests?': 'array',
      'thumbnail?': 'string',
    },
    'articles?': [
      {
        title: 'string',
        'link?': 'string',
        citation_id: 'string',
        'authors?': 'string',
        'publication?': 'string',
        'cited_by?': { 'value?': 'integer|null', 'link?': 'string|null', 'cites_id?': 'string|null' },
        'year?': 'string',
      },
    ],
    'cited_by?': 'object',
    'public_access?': 'object',
    'co_authors?': 'array',
    ...hasNext,
  },
  rows: 'articles',
  columns: { 'cited_by.citation_id': 'cited_by.cites_id' },
  id: 'citation_id',
  ...by(100),
});
