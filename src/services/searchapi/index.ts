import { madeService, type Service } from '../../contract/Service.ts';
import { fanOuts as ours } from '../../search/fanOuts.ts';
import { fanOutsOf } from '../fanOutsOf.ts';
import { account } from './account.ts';
import { aiMode } from './aiMode.ts';
import { aiOverview } from './aiOverview.ts';
import { autocomplete } from './autocomplete.ts';
import { financeSearch } from './financeSearch.ts';
import { hotelProperty } from './hotelProperty.ts';
import { hotelSearch } from './hotelSearch.ts';
import { imageSearch } from './imageSearch.ts';
import { immersiveProduct } from './immersiveProduct.ts';
import { jobSearch } from './jobSearch.ts';
import { lightSearch } from './lightSearch.ts';
import { mapsPhotos } from './mapsPhotos.ts';
import { mapsPlace } from './mapsPlace.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { mobileSearch } from './mobileSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { patentDetails } from './patentDetails.ts';
import { scholarAuthor } from './scholarAuthor.ts';
import { scholarSearch } from './scholarSearch.ts';
import { videoSearch } from './videoSearch.ts';
import { webSearch } from './webSearch.ts';

const operations = {
  webSearch,
  lightSearch,
  mobileSearch,
  autocomplete,
  aiMode,
  aiOverview,
  imageSearch,
  videoSearch,
  newsSearch,
  jobSearch,
  financeSearch,
  hotelSearch,
  hotelProperty,
  immersiveProduct,
  mapsSearch,
  mapsPlace,
  mapsReviews,
  mapsPhotos,
  scholarSearch,
  scholarAuthor,
  patentDetails,
  account,
};

const fanOuts = {
  ...fanOutsOf(operations),
  citingWorks: {
    ...ours.citingWorks,
    with: { query: '$.title', cites: '$.inline_links.cited_by.cites_id' },
  },
  authorProfiles: { ...ours.authorProfiles, with: { author_id: ['$.authors[].id', '$.author_id'] } },
  aiOverviews: { ...ours.aiOverviews, with: { page_token: '$.ai_overview.page_token' } },
} as const;

/** SearchApi (www.searchapi.io). */
export const searchApi: Service<typeof operations, typeof fanOuts> = madeService({
  name: 'searchapi',
  about: 'Results of Google and others, one credit a request.',
  baseUrl: 'https://www.searchapi.io/api/v1',
  headers: { authorization: 'Bearer ${key}' },
  account: { call: 'account', left: 'account.remaining_credits' },
  envelope: { error: 'error' },
  failures: [
    { at: 'error', is: "*didn't return any results.", means: 'empty' },
    { status: 429, at: 'error', is: '*upgrade your plan on SearchApi.io.', means: 'quota' },
    { at: 'error', is: '*Please try again later.', means: 'busy' },
  ],
  price: { unit: 'searches', default: 1, account: 0, failed: 0 },
  operations,
  fanOuts,
});
