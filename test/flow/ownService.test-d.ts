import { defineFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';

const library = defineService({
  name: 'library',
  operations: {
    books: defineOperation({
      get: '/books',
      params: { subject: { type: 'string', required: true }, sort: { type: 'string', oneOf: ['new', 'old'] } },
      response: { results: [{ id: 'string', title: 'string', author: { name: 'string' } }] },
      rows: 'results',
    }),
    editions: defineOperation({
      get: '/books/${id}/editions',
      params: { id: { type: 'string', required: true } },
      response: { editions: [{ year: 'integer' }] },
      rows: 'editions',
      query: { page: '${page}' },
    }),
  },
  fanOuts: { bookEditions: { call: 'editions', about: 'editions of each book', with: { id: '$.id' }, walks: true } },
});

export const right: FlowDefinition = defineFlow({
  name: 'right',
  service: library,
  stages: {
    books: { call: 'books', with: { subject: ['sea', 'stars'], sort: 'new' }, where: { title: { '!=': '' } }, to: 'books.csv' },
    editions: { call: 'editions', each: 'books', with: { id: '$.id' }, keep: { author: '$.author.name' }, pages: 'all', to: 'e.jsonl' },
    again: { call: 'bookEditions', each: 'books', where: { year: { '>': 1990 } } },
  },
});

defineFlow({
  name: 'an operation of another service',
  service: library,
  // @ts-expect-error mapsSearch is none of the library
  stages: { places: { call: 'mapsSearch', with: { query: 'coffee' } } },
});

defineFlow({
  name: 'no such parameter',
  service: library,
  // @ts-expect-error subjct is none
  stages: { books: { call: 'books', with: { subject: 'sea', subjct: 'sea' } } },
});

defineFlow({
  name: 'a parameter is missing',
  service: library,
  // @ts-expect-error subject is required
  stages: { books: { call: 'books' } },
});

defineFlow({
  name: 'a value that is none of those there are',
  service: library,
  // @ts-expect-error sort has no newest
  stages: { books: { call: 'books', with: { subject: 'sea', sort: 'newest' } } },
});

defineFlow({
  name: 'no such field of the row',
  service: library,
  stages: {
    books: { call: 'books', with: { subject: 'sea' } },
    // @ts-expect-error rows of books have no book_id
    editions: { call: 'editions', each: 'books', with: { id: '$.book_id' } },
  },
});

defineFlow({
  name: 'no such field of its own row',
  service: library,
  // @ts-expect-error rows of books have no year
  stages: { books: { call: 'books', with: { subject: 'sea' }, where: { year: 1990 } } },
});
