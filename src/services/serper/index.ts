import { madeService, type Service } from '../../contract/Service.ts';
import { fanOutsOf, type FanOutsOf } from '../fanOutsOf.ts';
import { account } from './account.ts';
import { autocomplete } from './autocomplete.ts';
import { imageSearch } from './imageSearch.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { scholarSearch } from './scholarSearch.ts';
import { videoSearch } from './videoSearch.ts';
import { webSearch } from './webSearch.ts';

const operations = {
  webSearch,
  autocomplete,
  imageSearch,
  videoSearch,
  newsSearch,
  mapsSearch,
  mapsReviews,
  scholarSearch,
  account,
};

/** Serper (serper.dev). It has no public reference, so this is from programs that use it. */
export const serper: Service<typeof operations, FanOutsOf<typeof operations>> = madeService({
  name: 'serper',
  about: 'Results of Google by POST.',
  baseUrl: 'https://google.serper.dev',
  headers: { 'x-api-key': '${key}' },
  account: { call: 'account', left: 'balance' },
  envelope: { message: 'message' },
  failures: [
    { status: 403, means: 'auth' },
    { status: 400, at: 'message', is: 'Not enough credits', means: 'quota' },
    { status: 400, at: 'message', is: 'Query pattern not allowed for free accounts', means: 'final' },
  ],
  price: { unit: 'credits', default: 1, mapsSearch: 3, account: 0, failed: 0, at: 'credits' },
  operations,
  fanOuts: fanOutsOf(operations),
});
