import { serper } from '../../src/services/serper/index.ts';
import { startSerper } from './serper.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';

vendorSuite({
  name: 'Serper',
  service: serper,
  start: startSerper,
  keyAt: { header: 'x-api-key' },
  // no page says that it is the last: one without rows does
  requests: {
    webSearch: 4,
    autocomplete: 1,
    imageSearch: 14,
    videoSearch: 4,
    newsSearch: 4,
    mapsSearch: 4,
    mapsReviews: 4,
    scholarSearch: 6,
  },
  odd: { lastRepeats: ['webSearch', 'newsSearch', 'mapsSearch'] },
});

const lacking = ['jobs', 'answers', 'hotel-prices', 'offers', 'patents'];
vendorFlows('serper', startSerper, ['leads', 'ranks', 'bad-reviews', 'news', 'rank-grid'], lacking);
