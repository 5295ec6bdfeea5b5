import { hasData } from '../../src/services/hasdata/index.ts';
import { startHasData } from './hasData.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';

vendorSuite({
  name: 'HasData',
  service: hasData,
  start: startHasData,
  keyAt: { header: 'x-api-key' },
  requests: {
    webSearch: 3,
    lightSearch: 3,
    mobileSearch: 3,
    aiMode: 1,
    aiOverview: 1,
    // no page of these two is known to say that it is the last: one without rows does
    imageSearch: 3,
    videoSearch: 4,
    newsSearch: 1,
    hotelSearch: 2,
    immersiveProduct: 1,
    mapsSearch: 4,
    mapsReviews: 4,
    mapsPhotos: 2,
    mapsPosts: 2,
    scholarSearch: 5,
  },
  odd: { mostRelevant: ['mapsReviews'] },
});

const flows = ['leads', 'ranks', 'bad-reviews', 'news', 'rank-grid', 'answers'];
vendorFlows('hasdata', startHasData, flows, ['jobs', 'citing', 'patents', 'hotel-prices']);
