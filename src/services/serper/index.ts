import { madeService, type Service } from '../../contract/Service.ts';
import { autocomplete } from './autocomplete.ts';
import { imageSearch } from './imageSearch.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { scholarSearch } from './scholarSearch.ts';
import { videoSearch } from './videoSearch.ts';
import { webSearch } from './webSearch.ts';

const operations = { webSearch, autocomplete, imageSearch, videoSearch, newsSearch, mapsSearch, mapsReviews, scholarSearch };

/** Serper (serper.dev). It has no public reference: what is said here is what programs that use it show. */
export const serper: Service<typeof operations, {}> = madeService({
  name: 'serper',
  about: 'Results of Google by POST.',
  baseUrl: 'https://google.serper.dev',
  headers: { 'x-api-key': '${key}' },
  check: { call: 'autocomplete', with: { query: 'coffee' } },
  envelope: { message: 'message' },
  failures: [
    { status: 400, at: 'message', is: 'Not enough credits', means: 'quota' },
    { status: 400, at: 'message', is: 'Query pattern not allowed for free accounts', means: 'final' },
  ],
  price: { default: 1, mapsSearch: 3, failed: 0 },
  operations,
});
