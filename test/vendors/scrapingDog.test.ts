import { scrapingdog } from '../../src/services/scrapingdog/index.ts';
import { startScrapingDog } from './scrapingDog.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';

vendorSuite({
  name: 'ScrapingDog',
  service: scrapingdog,
  start: startScrapingDog,
  keyAt: { param: 'api_key' },
  requests: {
    webSearch: 4,
    lightSearch: 4,
    mobileSearch: 4,
    autocomplete: 1,
    aiMode: 1,
    aiOverview: 1,
    imageSearch: 3,
    newsSearch: 1,
    hotelSearch: 3,
    immersiveProduct: 3,
    jobSearch: 3,
    financeSearch: 1,
    mapsSearch: 4,
    mapsReviews: 4,
    mapsPhotos: 2,
    mapsPosts: 2,
    scholarSearch: 5,
    scholarProfiles: 2,
    scholarAuthor: 1,
    patentDetails: 1,
  },
  differing: { scholarAuthor: { with: { author_id: 'auMQAJ', results: 100 } } },
});

const flows = ['leads', 'ranks', 'bad-reviews', 'jobs', 'news', 'rank-grid', 'citing', 'answers', 'patents', 'offers', 'hotel-prices'];
vendorFlows('scrapingdog', startScrapingDog, flows, []);
