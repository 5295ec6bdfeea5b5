// OpenAlex: scholarly works by words and filters.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'openalex',
  query: { api_key: '${key}' },
  envelope: { message: 'message' },
  operations: {
    works: defineOperation({
      get: '/works',
      about: 'Scholarly works.',
      params: {
        search: { type: 'string', about: 'words in title, abstract and text' },
        filter: { type: 'string', about: 'such as "publication_year:2024,is_oa:true"' },
        'per-page': { type: 'integer', min: 1, max: 200, about: 'rows of a page' },
      },
      rows: 'results',
      row: { id: 'string', doi: 'string|null', title: 'string|null', publication_year: 'integer|null' },
      id: 'id',
      query: { cursor: '${cursor:*}' },
      next: 'meta.next_cursor',
      total: 'meta.count',
    }),
  },
});
