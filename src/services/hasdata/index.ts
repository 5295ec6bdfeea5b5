import { madeService, type Service } from '../../contract/Service.ts';
import { fanOuts as ours } from '../../search/fanOuts.ts';
import { fanOutsOf } from '../fanOutsOf.ts';
import { aiMode } from './aiMode.ts';
import { aiOverview } from './aiOverview.ts';
import { hotelSearch } from './hotelSearch.ts';
import { imageSearch } from './imageSearch.ts';
import { immersiveProduct } from './immersiveProduct.ts';
import { lightSearch } from './lightSearch.ts';
import { mapsPhotos } from './mapsPhotos.ts';
import { mapsPlace } from './mapsPlace.ts';
import { mapsPosts } from './mapsPosts.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { mobileSearch } from './mobileSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { newsTopic } from './newsTopic.ts';
import { scholarSearch } from './scholarSearch.ts';
import { videoSearch } from './videoSearch.ts';
import { webSearch } from './webSearch.ts';

const operations = {
  webSearch,
  lightSearch,
  mobileSearch,
  aiMode,
  aiOverview,
  imageSearch,
  videoSearch,
  newsSearch,
  newsTopic,
  hotelSearch,
  immersiveProduct,
  mapsSearch,
  mapsPlace,
  mapsReviews,
  mapsPhotos,
  mapsPosts,
  scholarSearch,
};

// No known response has the fields that this one needs.
const { productOptions: _, ...able } = fanOutsOf(operations);

const fanOuts = {
  ...able,
  citingWorks: { ...ours.citingWorks, with: { cites: ['$.inline_links.cited_by.cites_id'] } },
  workVersions: { ...ours.workVersions, with: { cluster: ours.workVersions.with.cluster } },
  aiOverviews: { ...ours.aiOverviews, with: { page_token: '$.aiOverview.pageToken' } },
} as const;

/**
 * HasData (hasdata.com). No request says how many credits are left. If its sources name two prices for an operation, this is the one in its
 * own command. Only the price of videos has risen since.
 */
export const hasData: Service<typeof operations, typeof fanOuts> = madeService({
  name: 'hasdata',
  about: 'Results of Google, with parameters in camel case.',
  baseUrl: 'https://api.hasdata.com',
  headers: { 'x-api-key': '${key}' },
  envelope: { requestId: 'requestMetadata.id' },
  // 402 is a guess: it isn't known how it says that no credits are left
  failures: [
    { status: 402, means: 'quota' },
    { status: 200, at: 'requestMetadata.status', is: 'error', means: 'final' },
  ],
  price: {
    unit: 'credits',
    default: 5,
    webSearch: 10,
    mobileSearch: 10,
    videoSearch: 10,
    newsSearch: 10,
    newsTopic: 10,
    hotelSearch: 10,
    mapsPosts: 10,
    scholarSearch: 10,
    failed: 0,
  },
  operations,
  fanOuts,
});
