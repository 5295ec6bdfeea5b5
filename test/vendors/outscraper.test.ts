import { outscraper } from '../../src/services/outscraper/index.ts';
import { startOutscraper } from './outscraper.ts';
import { places, type Place } from './world.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';

const [, , third] = places({ day: 0 }, 'coffee') as [Place, Place, Place];

// Each page is a job: it is set, and asked for three times. A walk ends with a page without rows.
vendorSuite({
  name: 'Outscraper',
  service: outscraper,
  start: startOutscraper,
  keyAt: { header: 'x-api-key' },
  requests: { webSearch: 16, mapsSearch: 16, mapsReviews: 8, mapsPhotos: 4 },
  ofJob: 4,
  differing: {
    mapsSearch: { with: { query: 'coffee in Lisbon', country: 'us', language: 'en' }, none: { query: 'nothing' } },
    mapsPhotos: { none: { data_id: third.dataId } },
  },
  odd: { otherHost: ['mapsSearch', 'mapsReviews'] },
});

// Its place of a map has no zoom, and it has few operations.
const lacking = ['leads', 'rank-grid', 'ranks', 'news', 'jobs', 'answers', 'citing', 'patents', 'offers', 'hotel-prices'];
vendorFlows('outscraper', startOutscraper, ['bad-reviews'], lacking);
