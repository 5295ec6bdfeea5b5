import type { FailureSpec } from '../../contract/FailureSpec.ts';
import { madeService, type Service } from '../../contract/Service.ts';
import { fanOutsOf, type FanOutsOf } from '../fanOutsOf.ts';
import { account } from './account.ts';
import { aiMode } from './aiMode.ts';
import { autocomplete } from './autocomplete.ts';
import { codeOfTask, codes } from './codes.ts';
import { financeSearch } from './financeSearch.ts';
import { hotelSearch } from './hotelSearch.ts';
import { imageSearch } from './imageSearch.ts';
import { immersiveProduct } from './immersiveProduct.ts';
import { jobSearch } from './jobSearch.ts';
import { lightSearch } from './lightSearch.ts';
import { mapsPosts } from './mapsPosts.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';
import { mobileSearch } from './mobileSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { webSearch } from './webSearch.ts';

const operations = {
  webSearch,
  lightSearch,
  mobileSearch,
  autocomplete,
  aiMode,
  imageSearch,
  newsSearch,
  jobSearch,
  financeSearch,
  hotelSearch,
  mapsSearch,
  mapsReviews,
  mapsPosts,
  immersiveProduct,
  account,
};

/** Places are named by `data_cid` here, not by `data_id`. */
const ofPlace = { with: { data_cid: '$.data_cid' }, walks: true } as const;
const ofPlaces = {
  placeReviews: { ...ofPlace, call: 'mapsReviews', about: 'reviews of each place', claims: '$.reviews' },
  placePosts: { ...ofPlace, call: 'mapsPosts', about: 'posts of each place' },
} as const;
type FanOuts = Omit<FanOutsOf<typeof operations>, keyof typeof ofPlaces> & typeof ofPlaces;

/** DataForSEO (dataforseo.com). Its key is `login:password`. */
export const dataForSeo: Service<typeof operations, FanOuts> = madeService({
  name: 'dataforseo',
  about: 'Results of Google, all rows of a search in one response.',
  baseUrl: 'https://api.dataforseo.com/v3',
  headers: { authorization: 'Basic ${basic}' },
  account: { call: 'account', left: 'money.balance' },
  envelope: {
    data: 'tasks.0.result.0',
    code: { at: codeOfTask, is: 20000 },
    message: 'tasks.0.status_message',
    requestId: 'tasks.0.id',
  },
  failures: [
    { status: 402, means: 'quota' },
    ...['status_code', codeOfTask].flatMap((at) => codes.map((rule): FailureSpec => ({ at, ...rule }))),
  ],
  limits: { default: { requests: 2000, perMs: 60_000 } },
  price: {
    unit: 'USD',
    default: 0.002,
    aiMode: 0.008,
    jobSearch: 0.0006,
    mapsReviews: 0.00075,
    mapsPosts: 0.00075,
    immersiveProduct: 0.001,
    account: 0,
    failed: 0,
    at: 'cost',
  },
  operations,
  fanOuts: { ...fanOutsOf(operations), ...ofPlaces },
});
