import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { forms } from '../forms.ts';
import { atLeast } from '../rules.ts';

const spec = {
  name: 'scholarSearch',
  title: 'Scholarly search',
  group: 'Scholarly',
  get: '/scholar/search',
  about: 'Scholarly works, with links to the works that cite them.',
  params: {
    query: { type: 'string', required: true, about: 'what to search for. Operators such as author: work' },
    html: shared.html,
    cites: { type: 'string', from: 'scholarSearch', about: 'only works that cite the work with this id' },
    as_ylo: { type: 'string', form: forms.year, about: 'first year of publication' },
    as_yhi: { type: 'string', form: forms.year, about: 'last year of publication' },
    scisbd: { type: 'string', known: ['0', '1'], about: '1: only results with an abstract, 0: all results' },
    cluster: { type: 'string', from: 'inline_links.versions.cluster_id', about: 'finds all versions of this work' },
    language: shared.language,
    lr: shared.lr,
    page: shared.page,
    results: { type: 'integer', min: 1, default: 10, about: 'results per page. The largest number is not documented' },
    as_sdt: { type: 'string', known: ['7'], about: 'types of document, or jurisdictions. 7 includes patents' },
    safe: shared.safe,
    filter: shared.filter,
    as_vis: { type: 'string', known: ['0', '1'], default: '0', about: '1 leaves out results that are only citations' },
    as_rr: { type: 'string', known: ['0', '1'], default: '0', about: '1: only review articles' },
  },
  rules: [atLeast('as_ylo', 'as_yhi')],
  response: {
    search_details: { query: 'string', number_of_results: 'string' },
    profiles: 'object',
    scholar_results: [
      {
        title: 'string',
        title_link: 'string',
        id: 'string',
        'type?': 'string: such as [PDF], [HTML], [BOOK]',
        displayed_link: 'string',
        snippet: 'string',
        authors: [{ name: 'string', link: 'string', author_id: 'string' }],
        inline_links: {
          'versions?': { total: 'number|string', link: 'string', cluster_id: 'string' },
          cited_by: { total: 'number|string', link: 'string' },
          related_pages_link: 'string',
        },
        'resources?': [{ title: 'string', type: 'string', link: 'string' }],
      },
    ],
    related_searches: [{ title: 'string', link: 'string' }],
    pagination: { current: 'integer', page_no: { $map: 'string: URL' } },
  },
  rows: 'scholar_results',
  id: 'id',
  query: { page: '${page}' },
  ownPaging: { numbers: { at: 'pagination.page_no', current: 'pagination.current' } },
  splits: { full: 1000, year: { first: 'as_ylo', last: 'as_yhi' } },
} as const;

export const scholarSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type ScholarSearchQuery = QueryOf<typeof spec>;
export type ScholarSearchData = DataOf<typeof spec>;
export type ScholarResult = RowOf<typeof spec>;
