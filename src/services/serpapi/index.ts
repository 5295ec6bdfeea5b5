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
import { mapsPosts } from './mapsPosts.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { mobileSearch } from './mobileSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { newsTopic } from './newsTopic.ts';
import { patentDetails } from './patentDetails.ts';
import { scholarAuthor } from './scholarAuthor.ts';
import { scholarCitation } from './scholarCitation.ts';
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
  newsTopic,
  jobSearch,
  financeSearch,
  hotelSearch,
  hotelProperty,
  immersiveProduct,
  mapsSearch,
  mapsPlace,
  mapsReviews,
  mapsPhotos,
  mapsPosts,
  scholarSearch,
  scholarAuthor,
  scholarCitation,
  patentDetails,
  account,
};

// No known response has the list of offers that this one reads.
const { hotelDetails: _, ...able } = fanOutsOf(operations);

const fanOuts = {
  ...able,
  // These take other parameters here, or call another operation.
  localPlaces: { call: 'mapsPlace', about: ours.localPlaces.about, with: { data_cid: '$.place_id' } },
  authorCitations: {
    call: 'scholarCitation',
    about: ours.authorCitations.about,
    with: { author_id: ours.authorCitations.with.author_id, citation_id: '$.citation_id' },
    by: ['citation_id'],
  },
  citingWorks: {
    ...ours.citingWorks,
    with: { cites: ['$.inline_links.cited_by.cites_id', { of: '$.cited_by.citation_id', split: ',' }] },
  },
  workVersions: { ...ours.workVersions, with: { cluster: ours.workVersions.with.cluster } },
  newsTopics: { call: 'newsTopic', about: ours.newsTopics.about, with: { topic_token: '$.topic_token' } },
  aiOverviews: { ...ours.aiOverviews, with: { page_token: '$.ai_overview.page_token' } },
} as const;

/** SerpApi (serpapi.com). */
export const serpApi: Service<typeof operations, typeof fanOuts> = madeService({
  name: 'serpapi',
  about: 'Results of Google and others, one search a request.',
  baseUrl: 'https://serpapi.com',
  query: { api_key: '${key}' },
  account: { call: 'account', left: 'total_searches_left' },
  envelope: { error: 'error' },
  failures: [
    { at: 'error', is: "*hasn't returned any results for this query.", means: 'empty' },
    { at: 'error', is: '*run out of searches.', means: 'quota' },
    { at: 'error', is: '*Please try again later.', means: 'busy' },
  ],
  price: { unit: 'searches', default: 1, account: 0, failed: 0 },
  operations,
  fanOuts,
});
