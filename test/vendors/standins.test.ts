import { describe, expect, it } from 'vitest';
import { valueAt } from '../../operators/kit/path.ts';
import { startDataForSeo } from './dataForSeo.ts';
import { startOutscraper } from './outscraper.ts';
import { startHasData } from './hasData.ts';
import { startScrapingDog } from './scrapingDog.ts';
import { startSearchApi } from './searchApi.ts';
import { startSerpApi } from './serpApi.ts';
import { startSerper } from './serper.ts';
import type { StandIn, StandInOptions } from './standIn.ts';
import { places, placeOf, reviews, webPages } from './world.ts';

/** A request to a vendor, without its key. */
interface Ask {
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly body?: unknown;
}

/** How a vendor is spoken to. Pages are counted from 0, and rows are told by `link` and by the id of a review. */
interface Spoken {
  readonly name: string;
  readonly start: (options?: StandInOptions) => Promise<StandIn>;
  readonly keyed: (
    key: string,
    ask: Ask,
  ) => { readonly headers?: { readonly [name: string]: string }; readonly query?: { readonly [name: string]: string } };
  readonly web: (text: string, page: number) => Ask;
  readonly webRows: string;
  readonly reviews?: (dataId: string, token?: string) => Ask;
  readonly reviewRows: string;
  readonly reviewId: string;
  readonly token: (body: object) => unknown;
  /** How many pages a search of 27 places has. */
  readonly pages: number;
  /** How many requests the reviews of the place with 31 take. */
  readonly needs: number;
  /** Where the account is, and what is left by its answer. */
  readonly account?: { readonly path: string; readonly left: (body: object) => unknown };
  readonly wrongKey: readonly [status: number, words: RegExp];
  readonly noCredits: readonly [status: number, words: RegExp];
  readonly tooFast: readonly [status: number, words: RegExp];
}

const at = (path: string) => (body: object) => valueAt(body, path);
const vendors: readonly Spoken[] = [
  {
    name: 'serper',
    start: startSerper,
    keyed: (key) => ({ headers: { 'x-api-key': key } }),
    web: (q, page) => ({ path: '/search', body: { q, page: page + 1 } }),
    webRows: 'organic',
    reviews: (fid, nextPageToken) => ({ path: '/reviews', body: { fid, nextPageToken } }),
    reviewRows: 'reviews',
    reviewId: 'id',
    token: at('nextPageToken'),
    pages: 3,
    needs: 4,
    account: { path: '/account', left: at('balance') },
    wrongKey: [403, /"Unauthorized/],
    noCredits: [400, /"Not enough credits"/],
    tooFast: [429, /./],
  },
  {
    name: 'serpapi',
    start: startSerpApi,
    keyed: (key) => ({ query: { api_key: key } }),
    web: (q, page) => ({ path: '/search.json', query: { engine: 'google', q, start: String(page * 10) } }),
    webRows: 'organic_results',
    reviews: (data_id, token) => ({
      path: '/search',
      query: { engine: 'google_maps_reviews', data_id, ...(token !== undefined && { next_page_token: token, num: '20' }) },
    }),
    reviewRows: 'reviews',
    reviewId: 'review_id',
    token: at('serpapi_pagination.next_page_token'),
    pages: 3,
    needs: 3,
    account: { path: '/account.json', left: at('total_searches_left') },
    wrongKey: [401, /Invalid API key\./],
    noCredits: [429, /run out of searches/],
    tooFast: [429, /hourly/],
  },
  {
    name: 'searchapi',
    start: startSearchApi,
    keyed: (key) => ({ headers: { authorization: `Bearer ${key}` } }),
    web: (q, page) => ({ path: '/api/v1/search', query: { engine: 'google', q, page: String(page + 1) } }),
    webRows: 'organic_results',
    reviews: (data_id, next_page_token) => ({ path: '/api/v1/search', body: { engine: 'google_maps_reviews', data_id, next_page_token } }),
    reviewRows: 'reviews',
    reviewId: 'review_id',
    token: at('pagination.next_page_token'),
    pages: 3,
    needs: 4,
    account: { path: '/api/v1/me', left: at('account.remaining_credits') },
    wrongKey: [401, /"Invalid API key\."/],
    noCredits: [429, /"You have used all/],
    tooFast: [429, /hourly/],
  },
  {
    name: 'scrapingdog',
    start: startScrapingDog,
    keyed: (key) => ({ query: { api_key: key } }),
    web: (query, page) => ({ path: '/google', query: { query, page: String(page) } }),
    webRows: 'organic_results',
    reviews: (data_id, token) => ({
      path: '/google_maps/reviews',
      query: { data_id, ...(token !== undefined && { next_page_token: token }) },
    }),
    reviewRows: 'reviews_results',
    reviewId: 'review_id',
    token: at('pagination.next_page_token'),
    pages: 3,
    needs: 4,
    account: {
      path: '/account',
      left: (body) => Number(valueAt(body, 'requestLimit')) - Number(valueAt(body, 'requestUsed')),
    },
    wrongKey: [401, /key/],
    noCredits: [403, /limit/],
    tooFast: [429, /"Concurrent request limit reached/],
  },
  {
    name: 'hasdata',
    start: startHasData,
    keyed: (key) => ({ headers: { 'x-api-key': key } }),
    web: (q, page) => ({ path: '/scrape/google/serp', query: { q, start: String(page * 10) } }),
    webRows: 'organicResults',
    reviews: (dataId, token) => ({
      path: '/scrape/google-maps/reviews',
      query: { dataId, ...(token !== undefined && { nextPageToken: token }) },
    }),
    reviewRows: 'reviews',
    reviewId: 'reviewId',
    token: at('pagination.nextPageToken'),
    pages: 3,
    needs: 4,
    wrongKey: [401, /key/],
    noCredits: [402, /credits/],
    tooFast: [429, /concurrent/],
  },
  {
    name: 'dataforseo',
    start: startDataForSeo,
    keyed: (key) => ({ headers: { authorization: `Basic ${Buffer.from(key).toString('base64')}` } }),
    web: (keyword, page) => ({
      path: '/v3/serp/google/organic/live/advanced',
      body: [{ keyword, location_code: 2840, language_code: 'en', depth: (page + 3) * 10 }],
    }),
    webRows: 'tasks.0.result.0.items',
    reviewRows: '',
    reviewId: '',
    token: () => undefined,
    pages: 1,
    needs: 0,
    account: { path: '/v3/appendix/user_data', left: at('tasks.0.result.0.money.balance') },
    wrongKey: [401, /40100/],
    noCredits: [402, /40200/],
    tooFast: [200, /40202/],
  },
  {
    name: 'outscraper',
    start: startOutscraper,
    keyed: (key) => ({ headers: { 'x-api-key': key } }),
    web: (query, page) => ({ path: '/google-search', query: { query, skip: String(page * 10), async: 'false' } }),
    webRows: 'data.0.organic_results',
    reviews: (query, token) => ({
      path: '/google-maps-reviews',
      query: { query, async: 'false', ...(token !== undefined && { lastPaginationId: token }) },
    }),
    reviewRows: 'data.0.reviews_data',
    reviewId: 'review_id',
    token: (body) => (valueAt(body, 'data.0.reviews_data') as { readonly review_pagination_id: string }[]).at(-1)?.review_pagination_id,
    pages: 3,
    needs: 5,
    account: { path: '/profile/balance', left: at('balance') },
    wrongKey: [401, /key/],
    noCredits: [402, /balance/],
    tooFast: [429, /many/],
  },
];

const fresh = { day: 0 };
/** The second place of a search, which has 31 reviews. */
const visited = places(fresh, 'coffee')[1]!;

describe.each(vendors)('the stand-in of $name', (vendor) => {
  const send = async (standIn: StandIn, ask: Ask, key = standIn.key) => {
    const { headers = {}, query = {} } = vendor.keyed(key, ask);
    const address = `${standIn.url}${ask.path}?${new URLSearchParams({ ...ask.query, ...query }).toString()}`;
    const sent = ask.body === undefined ? {} : { method: 'POST', body: JSON.stringify(ask.body) };
    const response = await fetch(address, { ...sent, headers });
    return { status: response.status, body: (await response.json()) as object };
  };
  const rowsIn = (body: object): string[] => {
    const rows = (valueAt(body, vendor.webRows) ?? []) as { readonly type?: string; readonly link?: string; readonly url?: string }[];
    return rows.filter(({ type = 'organic' }) => type === 'organic').map(({ link, url }) => link ?? url!);
  };

  it('has all pages of a search, and none after the last', async () => {
    await using standIn = await vendor.start();
    const found: string[] = [];
    for (let page = 0; page < vendor.pages; page++) found.push(...rowsIn((await send(standIn, vendor.web('tea', page))).body));
    expect(found).toEqual(webPages(fresh, 'tea').map(({ link }) => link));
    expect(found).toHaveLength(23);
    const past = await send(standIn, vendor.web('tea', vendor.pages));
    // one that has no pages gives all again
    expect([past.status, rowsIn(past.body)]).toEqual([200, vendor.pages === 1 ? found : []]);
    expect([standIn.requests.length, standIn.unknown]).toEqual([vendor.pages + 1, []]);
  });

  it('has nothing for a query without results', async () => {
    await using standIn = await vendor.start();
    const { status, body } = await send(standIn, vendor.web('nothing of that', 0));
    expect([status, rowsIn(body)]).toEqual([200, []]);
  });

  it.each(vendor.reviews === undefined ? [] : [vendor.reviews])('leads on to all reviews by tokens', async (reviewsBy) => {
    await using standIn = await vendor.start();
    const found: unknown[] = [];
    let token: string | undefined;
    do {
      const { body } = await send(standIn, reviewsBy(visited.dataId, token));
      found.push(...((valueAt(body, vendor.reviewRows) ?? []) as object[]).map((row) => valueAt(row, vendor.reviewId)));
      token = vendor.token(body) as string | undefined;
    } while (token !== undefined && standIn.requests.length < 20);
    expect(found).toEqual(reviews(fresh, visited, 'relevant').map(({ id }) => id));
    expect([found.length, standIn.requests.length]).toEqual([31, vendor.needs]);
  });

  it('refuses a wrong key, a request without credits, and one too fast', async () => {
    await using standIn = await vendor.start({ credits: 0 });
    const said = async (key?: string): Promise<[number, string]> => {
      const { status, body } = await send(standIn, vendor.web('tea', 0), key);
      return [status, JSON.stringify(body)];
    };
    const [wrong, none] = [await said('another'), await said()];
    standIn.tooFast = 1;
    const fast = await said();
    for (const [index, [status, words]] of [vendor.wrongKey, vendor.noCredits, vendor.tooFast].entries()) {
      const got = [wrong, none, fast][index]!;
      expect([got[0], words.test(got[1])]).toEqual([status, true]);
    }
    expect(standIn.charged).toBe(0);
  });

  it.each(vendor.account === undefined ? [] : [vendor.account])('says what is left at $path', async ({ path, left }) => {
    await using standIn = await vendor.start({ credits: 100 });
    await send(standIn, vendor.web('tea', 0));
    const { body } = await send(standIn, { path });
    expect(left(body)).toBe(100 - standIn.charged);
    expect(standIn.charged).toBeGreaterThan(0);
  });
});

describe('tasks', () => {
  const headers = async (start: Spoken['start']) => {
    const standIn = await start();
    const authorization = `Basic ${Buffer.from(standIn.key).toString('base64')}`;
    const ask = async (path: string, body?: unknown): Promise<{ readonly status: number; readonly body: object }> => {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(standIn.url + path, { ...sent, headers: { authorization, 'x-api-key': standIn.key } });
      return { status: response.status, body: (await response.json()) as object };
    };
    return { standIn, ask };
  };
  const placed = { location_code: 2840, language_code: 'en' };

  it('of DataForSEO are set, wait, and are done, paid once', async () => {
    const { standIn, ask } = await headers(startDataForSeo);
    await using _ = standIn;
    const set = await ask('/v3/business_data/google/reviews/task_post', [{ cid: visited.cid, depth: 40, ...placed }]);
    expect(valueAt(set.body, 'tasks.0.status_code')).toBe(20100);
    const codes: unknown[] = [];
    let got: object;
    do {
      got = (await ask(`/v3/business_data/google/reviews/task_get/${valueAt(set.body, 'tasks.0.id') as string}`)).body;
      codes.push(valueAt(got, 'tasks.0.status_code'));
    } while (codes.at(-1) === 40602);
    expect(codes).toEqual([40602, 40602, 20000]);
    const rows = valueAt(got, 'tasks.0.result.0.items') as { readonly review_id: string }[];
    expect(rows.map(({ review_id }) => review_id)).toEqual(reviews(fresh, visited, 'relevant').map(({ id }) => id));
    expect(standIn.charged).toBeCloseTo(4 * 0.00075);
  });

  it('of DataForSEO fail inside a response that is good', async () => {
    const { standIn, ask } = await headers(startDataForSeo);
    await using _ = standIn;
    const live = '/v3/serp/google/maps/live/advanced';
    const of = async (task: object): Promise<unknown[]> => {
      const { status, body } = await ask(live, [{ ...placed, ...task }]);
      return [status, valueAt(body, 'status_code'), valueAt(body, 'tasks.0.status_code'), valueAt(body, 'cost')];
    };
    expect(await of({ keyword: 'nothing' })).toEqual([200, 20000, 40102, 0.002]);
    expect(await of({ keyword: 'tea', radius: 3 })).toEqual([200, 20000, 40506, 0]);
    expect(await of({ keyword: 'tea', depth: 701 })).toEqual([200, 20000, 40501, 0]);
    expect(await of({ keyword: 'sleepy tea' })).toEqual([200, 20000, 40101, 0.002]);
  });

  it('of Outscraper are fetched at the address that is told, for four hours', async () => {
    const { standIn, ask } = await headers(startOutscraper);
    await using _ = standIn;
    const set = await ask('/google-maps-search?query=tea+3');
    expect([set.status, valueAt(set.body, 'status')]).toEqual([202, 'Pending']);
    const path = new URL(valueAt(set.body, 'results_location') as string).pathname;
    const states: unknown[] = [];
    for (let n = 0; n < 3; n++) states.push(valueAt((await ask(path)).body, 'status'));
    expect(states).toEqual(['Pending', 'Pending', 'Success']);
    standIn.world.day = 1;
    expect(valueAt((await ask(path)).body, 'status')).toBe('Pending');
    expect(standIn.charged).toBeCloseTo(3 * 0.003);
  });
});

describe('the world', () => {
  it('has one place under three ids', () => {
    for (const id of [visited.dataId, visited.placeId, visited.cid]) expect(placeOf(fresh, id)).toEqual(visited);
  });

  it('has more on the next day', () => {
    const first = reviews(fresh, visited, 'newest').map(({ id }) => id);
    const next = reviews({ day: 1 }, placeOf({ day: 1 }, visited.cid)!, 'newest').map(({ id }) => id);
    expect(next.slice(1)).toEqual(first);
  });

  it('shows the places in view', () => {
    const all = places(fresh, 'coffee in Vienna');
    expect(places(fresh, 'coffee in Vienna', { latitude: 48.21, longitude: 16.37, zoom: 14 })).toEqual(all);
    const half = places(fresh, 'coffee in Vienna', { latitude: 48.21, longitude: 16.37, zoom: 16 });
    expect(half.length).toBeGreaterThan(0);
    expect(half.length).toBeLessThan(all.length);
    expect(places(fresh, 'coffee', { latitude: 0, longitude: 0, zoom: 14 })).toEqual([]);
  });
});
