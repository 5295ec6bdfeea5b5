import { madeOperation } from '../../contract/Operation.ts';
import { body, filters, paging, params } from './shared.ts';

export const scholarSearch = madeOperation({
  post: '/scholar',
  about: 'Scholarly works.',
  body: { ...body, page: '${page}' },
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
  list: 'organic',
  columns: { title_link: 'link', publication: 'publicationInfo', 'inline_links.cited_by.total': 'citedBy', rank: 'position' },
  paging,
});
