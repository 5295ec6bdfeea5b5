import { madeService, type Service } from '../../contract/Service.ts';
import { fanOutsOf, type FanOutsOf } from '../fanOutsOf.ts';
import { account } from './account.ts';
import { mapsPhotos } from './mapsPhotos.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { webSearch } from './webSearch.ts';

const operations = { webSearch, mapsSearch, mapsReviews, mapsPhotos, account };

/** Outscraper (outscraper.com). It charges by row, and no response says how much. Its limits and its statuses are not known. */
export const outscraper: Service<typeof operations, FanOutsOf<typeof operations>> = madeService({
  name: 'outscraper',
  about: 'Places, reviews and photos of Google Maps.',
  baseUrl: 'https://api.outscraper.cloud',
  headers: { 'x-api-key': '${key}' },
  account: { call: 'account', left: 'balance' },
  envelope: { error: 'error', message: 'errorMessage' },
  failures: [
    { status: 402, means: 'quota' },
    { at: 'status', is: 'Failure', means: 'final' },
  ],
  price: { unit: 'USD', row: 0.003, webSearch: 0.003, account: 0, failed: 0 },
  operations,
  fanOuts: fanOutsOf(operations),
});
