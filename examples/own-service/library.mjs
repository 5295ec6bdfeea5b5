// The library as trawler sees it: what may be asked, what comes back, and how to get to the next page. It is all data.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'library',
  baseUrl: '/v2',
  headers: { authorization: 'Bearer ${key}' },
  envelope: { message: 'error' }, // the body is the data; an error says why
  operations: {
    books: defineOperation({
      name: 'books',
      get: '/books',
      about: 'Books on a subject.',
      params: {
        subject: { type: 'string', required: true, about: 'what the books are about' },
      },
      response: { results: [{ id: 'string', title: 'string', author: { name: 'string' } }], next: 'string|null' },
      rows: 'results',
      next: 'next',
    }),
    editions: defineOperation({
      name: 'editions',
      get: '/books/${id}/editions',
      about: 'Editions of one book.',
      params: {
        id: { type: 'string', required: true, about: 'the book' },
      },
      response: [{ isbn: 'string', year: 'integer' }],
      rows: '', // the data is the list
      query: { page: '${page:1}' },
    }),
  },
  fanOuts: {
    bookEditions: { call: 'editions', with: { id: '$.id' }, about: 'the editions of each book' },
  },
});
