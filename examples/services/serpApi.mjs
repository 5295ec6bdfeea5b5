// SerpApi: search results of Google. A query without results comes as an error.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'serpApi',
  query: { api_key: '${key}' },
  envelope: { error: 'error' },
  failures: [
    { at: 'error', is: "Google hasn't returned any results for this query.", means: 'empty' },
    { at: 'error', is: 'Your account has run out of searches.', means: 'quota' },
  ],
  operations: {
    google: defineOperation({
      get: '/search.json',
      about: 'Results of a Google search.',
      query: { engine: 'google', start: '${offset}' },
      params: {
        q: { type: 'string', required: true, about: 'what to search for' },
        location: { type: 'string', about: 'where the search is made' },
        gl: { type: 'string', about: 'country, such as "us"' },
        hl: { type: 'string', about: 'language, such as "en"' },
      },
      response: {
        'organic_results?': [{ position: 'integer', title: 'string', link: 'string', 'snippet?': 'string' }],
        'serpapi_pagination?': { 'next?': 'string' },
      },
      rows: 'organic_results',
      size: 10,
      more: 'serpapi_pagination.next',
    }),
  },
});
