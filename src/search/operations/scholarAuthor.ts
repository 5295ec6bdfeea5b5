import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { forms } from '../forms.ts';
import { needs } from '../rules.ts';

const author = {
  name: 'string',
  affiliations: 'string',
  email: 'string: where the address was verified',
  thumbnail: 'string',
  interests: 'array',
} as const;
const article = {
  title: 'string',
  link: 'string',
  citation_id: 'string',
  authors: 'string',
  publication: 'string',
  year: 'string',
  cited_by: { value: 'string', link: 'string', citation_id: 'string: may hold several, separated by commas' },
} as const;
// The second key names a year, such as since_2021, and moves on with time.
const count = { $map: 'integer', $known: { all: 'integer', 'since_2021?': 'integer' } } as const;
const citedBy = {
  // One measure an object.
  table: [
    {
      $map: count as typeof count,
      $known: { 'citations?': count as typeof count, 'h_index?': count as typeof count, 'i10_index?': count as typeof count },
    },
  ],
  graph: [{ year: 'string', citations: 'string' }],
} as const;
const publicAccess = { link: 'string', available: 'string', not_available: 'string' } as const;

const spec = {
  name: 'scholarAuthor',
  title: 'Author profile',
  group: 'Scholarly',
  get: '/scholar/author',
  about: 'One author, with articles and citation counts. It can instead return the co-authors, or the details of one article.',
  params: {
    author_id: { type: 'string', required: true, from: 'scholarSearch, scholarProfiles', about: 'the author' },
    results: { type: 'integer', min: 1, default: 20, about: 'articles per page. The largest number is not documented' },
    language: shared.language,
    view_op: {
      type: 'string',
      oneOf: ['list_colleagues', 'view_citation'],
      about: 'what to return instead of the profile: co-authors (list_colleagues) or one article (view_citation)',
    },
    sort: { type: 'string', oneOf: ['title', 'pubdate'], about: 'order of the articles: by title or by date' },
    citation_id: { type: 'string', form: forms.citation, from: 'articles', about: 'the article to show with view_citation' },
  },
  rules: [needs('view_op', 'view_citation', 'citation_id')],
  response: {
    author: author as typeof author,
    articles: [article as typeof article],
    cited_by: citedBy as typeof citedBy,
    public_access: publicAccess as typeof publicAccess,
    co_authors: 'array',
    pagination: 'object',
  },
  rows: 'articles',
  // What these two respond with isn't documented: a profile's fields may be there.
  variants: {
    param: 'view_op',
    values: {
      list_colleagues: {
        response: {
          'author?': author as typeof author,
          'articles?': [article as typeof article],
          'cited_by?': citedBy as typeof citedBy,
          'public_access?': publicAccess as typeof publicAccess,
          'co_authors?': ['object'],
          'pagination?': 'object',
        },
        rows: 'co_authors',
      },
      view_citation: {
        response: {
          'author?': author as typeof author,
          'articles?': [article as typeof article],
          'cited_by?': citedBy as typeof citedBy,
          'public_access?': publicAccess as typeof publicAccess,
          'co_authors?': 'array',
          'pagination?': 'object',
        },
        rows: null,
      },
    },
  },
} as const;

export const scholarAuthor: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type ScholarAuthorQuery = QueryOf<typeof spec>;
export type ScholarAuthorData = DataOf<typeof spec>;
export type ScholarArticle = RowOf<typeof spec>;
