// Hacker News, as Algolia searches it: stories and comments by words. It needs no key.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'hackerNews',
  baseUrl: '/api/v1',
  envelope: { message: 'message' },
  operations: {
    search: defineOperation({
      get: '/search_by_date',
      about: 'Stories and comments, newest first.',
      params: {
        query: { type: 'string', about: 'words in them' },
        tags: { type: 'string', about: 'such as "story", "comment", "author_pg"' },
        numericFilters: { type: 'string', about: 'such as "points>100,created_at_i>1700000000"' },
        hitsPerPage: { type: 'integer', min: 1, max: 1000, about: 'rows of a page' },
      },
      rows: 'hits',
      row: { objectID: 'string', created_at: 'string', author: 'string', 'title?': 'string|null', 'points?': 'integer|null' },
      id: 'objectID',
      query: { page: '${page}' },
      pages: 'nbPages', // 1,000 rows at most: split by time for more
    }),
  },
});
