import { madeOperation } from '../../contract/madeOperation.ts';
import { scholarSearch as ours } from '../../search/operations/scholarSearch.ts';
import { alone } from '../../search/rules.ts';
import { by, hasNext, start } from './shared.ts';

const { query, cites, as_ylo, as_yhi, cluster, language, lr, as_sdt, safe, filter, as_vis, as_rr } = ours.params;

const flag = { type: 'string', oneOf: ['0', '1'], default: '0' } as const;

/** A search fails after about 1,000 results. */
export const scholarSearch = madeOperation({
  get: '/search.json',
  about: 'Scholarly works, with links to the works that cite them. It needs words, or cites, or cluster alone.',
  query: { engine: 'google_scholar', q: '${query}', hl: '${language}', num: 20, start: '${offset}' },
  params: {
    query: { type: query.type, about: query.about },
    cites,
    as_ylo,
    as_yhi,
    scisbd: { type: 'string', oneOf: ['0', '1', '2'], about: 'all by relevance (0), abstracts by date (1), all by date (2)' },
    cluster,
    language,
    lr,
    as_sdt,
    safe,
    filter,
    as_vis: { ...flag, about: as_vis.about },
    as_rr: { ...flag, about: as_rr.about },
    ...start,
  },
  rules: [alone('cluster', 'query', 'cites'), ...ours.spec.rules],
  response: {
    'search_information?': { 'total_results?': 'integer' },
    'organic_results?': [
      {
        'position?': 'integer: from 0',
        title: 'string',
        result_id: 'string',
        'type?': 'string: such as Pdf, Book, Citation',
        'link?': 'string',
        'snippet?': 'string',
        'publication_info?': {
          'summary?': 'string',
          'authors?': [{ name: 'string', 'link?': 'string', 'author_id?': 'string' }],
        },
        'resources?': [{ title: 'string', 'file_format?': 'string', link: 'string' }],
        'inline_links?': {
          'cited_by?': { total: 'integer', 'link?': 'string', 'cites_id?': 'string' },
          'versions?': { total: 'integer', 'link?': 'string', 'cluster_id?': 'string' },
          'related_pages_link?': 'string',
        },
      },
    ],
    'profiles?': 'object',
    'related_searches?': 'array',
    ...hasNext,
  },
  rows: 'organic_results',
  columns: { id: 'result_id', title_link: 'link', displayed_link: 'publication_info.summary', authors: 'publication_info.authors' },
  id: 'id',
  estimates: 'search_information.total_results',
  ...by(20),
  splits: ours.spec.splits,
});
