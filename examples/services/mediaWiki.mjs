// MediaWiki, as Wikipedia runs it: pages by words, each with its length, links and coordinates.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'mediaWiki',
  query: { action: 'query', format: 'json', formatversion: '1', maxlag: 5 },
  headers: { 'user-agent': 'my-crawl/1.0 (me@example.org)' }, // Wikimedia asks for a name and an address
  envelope: { error: 'error', message: 'error.info' },
  failures: [{ status: 200, at: 'error.code', is: ['maxlag', 'ratelimited'], means: 'throttled' }],
  operations: {
    pages: defineOperation({
      get: '/w/api.php',
      about: 'Pages that a search finds.',
      query: { generator: 'search', prop: 'info' },
      params: {
        gsrsearch: { type: 'string', required: true, about: 'what to search for' },
        gsrlimit: { type: 'integer', min: 1, max: 500, about: 'rows of a page' },
        gsrnamespace: { type: 'string', about: '0 is articles' },
      },
      response: {
        'query?': { pages: { $map: { pageid: 'integer', ns: 'integer', title: 'string', length: 'integer' } } },
        'continue?': { $map: 'number|string' },
      },
      rows: 'query.pages',
      keyed: 'key',
      merge: 'continue',
    }),
  },
});
