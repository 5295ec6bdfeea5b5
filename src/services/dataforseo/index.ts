import type { FailureSpec } from '../../contract/FailureSpec.ts';
import { madeService, type Service } from '../../contract/Service.ts';
import { fanOutsOf, type FanOutsOf } from '../fanOutsOf.ts';
import { account } from './account.ts';
import { aiMode } from './aiMode.ts';
import { autocomplete } from './autocomplete.ts';
import { financeSearch } from './financeSearch.ts';
import { hotelSearch } from './hotelSearch.ts';
import { imageSearch } from './imageSearch.ts';
import { lightSearch } from './lightSearch.ts';
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
  financeSearch,
  hotelSearch,
  mapsSearch,
  account,
};

/** Its codes, which stand for the call and for the task in it. Nearly all come with the status 200. */
const codes: readonly Pick<FailureSpec, 'is' | 'means'>[] = [
  { is: 40102, means: 'empty' },
  { is: [40100, 40104, 40201, 40204, 40207], means: 'auth' },
  { is: [40200, 40203, 40205, 40206, 40210], means: 'quota' },
  { is: [40202, 40209], means: 'throttled' },
  { is: [40101, 40103, 50000, 50001, 50100, 50301, 50303, 50304, 50401, 50402], means: 'busy' },
  {
    is: [40000, 40001, 40002, 40003, 40004, 40006, 40400, 40401, 40402, 40403, 40404, 40501, 40502, 40503, 40505, 40506],
    means: 'final',
  },
];

/** DataForSEO (dataforseo.com): what it answers at once. Its key is `login:password`. */
export const dataForSeo: Service<typeof operations, FanOutsOf<typeof operations>> = madeService({
  name: 'dataforseo',
  about: 'Results of Google, all rows of a search in one response.',
  baseUrl: 'https://api.dataforseo.com/v3',
  headers: { authorization: 'Basic ${basic}' },
  account: { call: 'account', left: 'money.balance' },
  envelope: {
    data: 'tasks.0.result.0',
    code: { at: 'tasks.0.status_code', good: 20000 },
    message: 'tasks.0.status_message',
    requestId: 'tasks.0.id',
  },
  failures: [
    { status: 402, means: 'quota' },
    ...['status_code', 'tasks.0.status_code'].flatMap((at) => codes.map((rule): FailureSpec => ({ at, ...rule }))),
  ],
  limits: { default: { requests: 2000, perMs: 60_000 } },
  price: { default: 0.002, aiMode: 0.008, account: 0, failed: 0, at: 'cost' },
  operations,
  fanOuts: fanOutsOf(operations),
});
