import { searchApi } from '../../src/services/searchapi/index.ts';
import { startSearchApi } from './searchApi.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';
import { jobs } from './world.ts';

vendorSuite({
  name: 'SearchApi',
  service: searchApi,
  start: startSearchApi,
  keyAt: { header: 'authorization' },
  requests: {
    webSearch: 3,
    lightSearch: 3,
    mobileSearch: 3,
    autocomplete: 1,
    aiMode: 1,
    aiOverview: 1,
    imageSearch: 3,
    videoSearch: 4,
    newsSearch: 3,
    jobSearch: 3,
    financeSearch: 1,
    hotelSearch: 2,
    immersiveProduct: 2,
    mapsSearch: 4,
    mapsReviews: 2,
    mapsPhotos: 2,
    scholarSearch: 3,
    scholarAuthor: 2,
    patentDetails: 1,
  },
  // An advertisement has no other id there.
  differing: { jobSearch: { rows: (at) => jobs(at, 'nurse').map(({ link }) => link) } },
  odd: {
    emptyAtFirst: ['webSearch', 'mobileSearch'],
    errorIn200: ['webSearch', 'mapsReviews'],
  },
});

const flows = ['leads', 'ranks', 'bad-reviews', 'jobs', 'news', 'rank-grid', 'citing', 'answers', 'patents'];
vendorFlows('searchapi', startSearchApi, flows, ['offers', 'hotel-prices']);
