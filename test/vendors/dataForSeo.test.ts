import { dataForSeo } from '../../src/services/dataforseo/index.ts';
import { startDataForSeo } from './dataForSeo.ts';
import { places, type Place } from './world.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';

const us = { country: 'us', language: 'en' };
const stay = { check_in_date: '2026-12-01', check_out_date: '2026-12-02', depth: 140 };
const none = { query: 'nothing of that', ...us };
const at = { ll: '@38.72,-9.14,14z', language: 'en' };

const [, second, third] = places({ day: 0 }, 'coffee') as [Place, Place, Place];

// All rows come in one response, as many as are asked for.
vendorSuite({
  name: 'DataForSEO',
  service: dataForSeo,
  start: startDataForSeo,
  keyAt: { header: 'authorization' },
  requests: {
    webSearch: 1,
    lightSearch: 1,
    aiMode: 1,
    financeSearch: 1,
    mobileSearch: 1,
    autocomplete: 1,
    imageSearch: 1,
    newsSearch: 1,
    hotelSearch: 1,
    mapsSearch: 1,
    // tasks: set, and asked for three times
    jobSearch: 4,
    mapsReviews: 4,
    mapsPosts: 4,
    immersiveProduct: 4,
  },
  differing: {
    webSearch: { with: { query: 'tea', ...us, depth: 200 }, none },
    lightSearch: { with: { query: 'tea', ...us, depth: 200 }, none },
    mobileSearch: { with: { query: 'tea', ...us, depth: 200 }, none },
    autocomplete: { with: { query: 'tea', ...us }, none },
    imageSearch: { with: { query: 'cats 123', ...us, depth: 200 }, none },
    newsSearch: { with: { query: 'rates', ...us, depth: 200 }, none },
    hotelSearch: { with: { query: 'Vienna', ...us, ...stay }, none: { query: 'nothing', ...us, ...stay } },
    jobSearch: { with: { query: 'nurse', ...us, depth: 200 }, none },
    mapsReviews: { with: { data_cid: second.cid, sort_by: 'newestFirst', depth: 4490 }, none: { data_cid: third.cid } },
    mapsPosts: { with: { data_cid: second.cid, depth: 4490 }, none: { data_cid: third.cid } },
    immersiveProduct: { with: { product_id: 'kettle-token', depth: 200 } },
    mapsSearch: { with: { query: 'coffee in Lisbon', ...at, depth: 700 }, none: { query: 'nothing', ...at } },
  },
});

// It takes a country in place of a `location`, and no `data_id`.
vendorFlows(
  'dataforseo',
  startDataForSeo,
  ['news', 'jobs', 'rank-grid', 'leads'],
  ['ranks', 'bad-reviews', 'citing', 'patents', 'offers', 'hotel-prices'],
);
