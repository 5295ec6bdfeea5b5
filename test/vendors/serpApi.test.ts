import { describe, expect, it } from 'vitest';
import { checkQuery } from '../../src/contract/index.ts';
import { serpApi } from '../../src/services/serpapi/index.ts';
import { startSerpApi } from './serpApi.ts';
import { vendorFlows } from './vendorFlows.ts';
import { vendorSuite } from './vendorSuite.ts';

vendorSuite({
  name: 'SerpApi',
  service: serpApi,
  start: startSerpApi,
  keyAt: { param: 'api_key' },
  requests: {
    webSearch: 3,
    lightSearch: 3,
    mobileSearch: 3,
    autocomplete: 1,
    aiMode: 1,
    aiOverview: 1,
    imageSearch: 3,
    videoSearch: 3,
    newsSearch: 1,
    jobSearch: 3,
    financeSearch: 1,
    hotelSearch: 3,
    immersiveProduct: 1,
    mapsSearch: 3,
    mapsReviews: 4,
    mapsPhotos: 2,
    mapsPosts: 2,
    scholarSearch: 3,
    scholarAuthor: 1,
    patentDetails: 1,
  },
  odd: {
    emptyNext: ['webSearch', 'mobileSearch', 'lightSearch'],
    nextOnLast: ['mapsSearch'],
    deadToken: ['mapsReviews', 'mapsPhotos'],
    emptyHotels: ['hotelSearch'],
    noList: ['webSearch', 'jobSearch', 'mapsSearch'],
  },
});

const flows = ['leads', 'ranks', 'bad-reviews', 'jobs', 'news', 'rank-grid', 'citing', 'answers', 'offers'];
// Citations of a patent are in no list there, and nobody has seen the offers of a hotel.
vendorFlows('serpapi', startSerpApi, flows, ['patents', 'hotel-prices']);

describe('what SerpApi takes', () => {
  it.each([
    ['imageSearch', { query: 'a', lr: 'lang_en' }, '"lr" is not a parameter'],
    ['scholarSearch', { query: 'a', cluster: '7' }, "query can't stand beside cluster"],
    ['scholarSearch', { query: 'a', as_vis: '2' }, 'as_vis'],
    ['scholarSearch', { query: 'a', as_rr: '2' }, 'as_rr'],
    ['jobSearch', { query: 'a', ltype: '2' }, 'ltype'],
    ['newsTopic', { topic_token: 'a', so: '2' }, 'so'],
    ['autocomplete', { query: 'a', client: 'lynx' }, 'client'],
  ])('%s refuses %j', (operation, query, what) => {
    const issues = checkQuery(serpApi.operations[operation as 'imageSearch'], query);
    expect(issues.map(({ message }) => message)).toEqual([expect.stringContaining(what)]);
  });
});
