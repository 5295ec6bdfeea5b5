import { madeOperation } from '../../contract/madeOperation.ts';
import { filters, paged, params } from './shared.ts';

export const scholarSearch = madeOperation({
  post: '/scholar',
  about: 'Scholarly works.',
  body: paged,
  params: { ...params, page: filters.page },
  response: {
    'organic?': [
      {
        title: 'string',
        'link?': 'string',
        'publicationInfo?': 'string',
        'snippet?': 'string',
        'year?': 'integer',
        'citedBy?': 'integer',
        'pdfUrl?': 'string',
        'htmlUrl?': 'string',
        'id?': 'string',
        'position?': 'integer',
      },
    ],
    'credits?': 'integer',
  },
  rows: 'organic',
  columns: { title_link: 'link', publication: 'publicationInfo', 'inline_links.cited_by.total': 'citedBy', rank: 'position' },
});
