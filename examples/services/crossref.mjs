// Crossref: metadata of published works. Its token stays the same from page to page.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'crossref',
  envelope: { data: 'message' },
  operations: {
    works: defineOperation({
      get: '/works',
      about: 'Published works.',
      params: {
        query: { type: 'string', about: 'words in title, author and other fields' },
        filter: { type: 'string', about: 'such as "from-pub-date:2024,type:journal-article"' },
        rows: { type: 'integer', min: 1, max: 1000, about: 'rows of a page' },
        mailto: { type: 'string', about: 'your address: polite requests are served better' },
      },
      rows: 'items',
      row: { DOI: 'string', 'title?': ['string'], type: 'string' },
      id: 'DOI',
      query: { cursor: '${cursor:*}' },
      next: 'next-cursor',
      repeats: true,
      total: 'total-results',
    }),
  },
});
