import { madeOperation } from '../../contract/madeOperation.ts';
import { scholarSearch as ours } from '../../search/operations/scholarSearch.ts';
import { byPage, hasNext, page, query, sentPage } from './shared.ts';

const { cites, as_ylo, as_yhi, language, lr, as_sdt, filter } = ours.params;

export const scholarSearch = madeOperation({
  get: '/search',
  about: 'Scholarly works, with links to the works that cite them.',
  query: { engine: 'google_scholar', q: '${query}', hl: '${language}', num: 20, ...sentPage },
  params: { query, cites, as_ylo, as_yhi, language, lr, as_sdt, filter, ...page },
  response: {
    'search_information?': { 'total_results?': 'integer', 'page?': 'integer' },
    'organic_results?': [
      {
        'position?': 'integer',
        title: 'string',
        data_cid: 'string',
        'type?': 'string',
        'link?': 'string',
        'publication?': 'string',
        'snippet?': 'string',
        'authors?': [{ name: 'string', 'id?': 'string', 'link?': 'string' }],
        'inline_links?': {
          'cited_by?': { 'cites_id?': 'string', total: 'integer', 'link?': 'string' },
          'versions?': { total: 'integer', 'link?': 'string', 'cluster_id?': 'string' },
          'related_articles_link?': 'string',
        },
        'resource?': { 'name?': 'string', 'format?': 'string', 'link?': 'string' },
      },
    ],
    'profiles?': 'array',
    'related_searches?': 'array',
    ...hasNext,
  },
  rows: 'organic_results',
  columns: {
    id: 'data_cid',
    title_link: 'link',
    displayed_link: 'publication',
    'inline_links.related_pages_link': 'inline_links.related_articles_link',
  },
  id: 'id',
  estimates: 'search_information.total_results',
  ...byPage,
  splits: ours.spec.splits,
});
