import { describe, expect, it } from 'vitest';
import { valueAt } from '../../operators/walk/valueAt.ts';
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
  readonly reviews: (dataId: string, token?: string) => Ask;
  readonly reviewRows: string;
  readonly reviewId: string;
  readonly token: string;
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
    token: 'nextPageToken',
    needs: 4,
    account: { path: '/account', left: at('balance') },
    wrongKey: [403, /^Unauthorized/],
    noCredits: [400, /^Not enough credits/],
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
    token: 'serpapi_pagination.next_page_token',
    needs: 3,
    account: { path: '/account.json', left: at('total_searches_left') },
    wrongKey: [401, /^Invalid API key\./],
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
    token: 'pagination.next_page_token',
    needs: 4,
    account: { path: '/api/v1/me', left: at('account.remaining_credits') },
    wrongKey: [401, /^Invalid API key\.$/],
    noCredits: [429, /^You have used all/],
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
    token: 'pagination.next_page_token',
    needs: 4,
    account: {
      path: '/account',
      left: (body) => Number(valueAt(body, 'requestLimit')) - Number(valueAt(body, 'requestUsed')),
    },
    wrongKey: [401, /key/],
    noCredits: [403, /limit/],
    tooFast: [429, /^Concurrent request limit reached/],
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
    token: 'pagination.nextPageToken',
    needs: 4,
    wrongKey: [401, /key/],
    noCredits: [402, /credits/],
    tooFast: [429, /concurrent/],
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
  const rowsIn = (body: object): string[] => ((valueAt(body, vendor.webRows) ?? []) as { link?: string; url?: string }[]).map(({ link, url }) => link ?? url!); // prettier-ignore

  it('has all pages of a search, and none after the last', async () => {
    await using standIn = await vendor.start();
    const found: string[] = [];
    for (let page = 0; page < 3; page++) found.push(...rowsIn((await send(standIn, vendor.web('tea', page))).body));
    expect(found).toEqual(webPages(fresh, 'tea').map(({ link }) => link));
    expect(found).toHaveLength(23);
    const past = await send(standIn, vendor.web('tea', 3));
    expect([past.status, rowsIn(past.body)]).toEqual([200, []]);
    expect([standIn.requests.length, standIn.unknown]).toEqual([4, []]);
  });

  it('has nothing for a query without results', async () => {
    await using standIn = await vendor.start();
    const { status, body } = await send(standIn, vendor.web('nothing of that', 0));
    expect([status, rowsIn(body)]).toEqual([200, []]);
  });

  it('leads on to all reviews by tokens', async () => {
    await using standIn = await vendor.start();
    const found: unknown[] = [];
    let token: string | undefined;
    do {
      const { body } = await send(standIn, vendor.reviews(visited.dataId, token));
      found.push(...((valueAt(body, vendor.reviewRows) ?? []) as object[]).map((row) => valueAt(row, vendor.reviewId)));
      token = valueAt(body, vendor.token) as string | undefined;
    } while (token !== undefined && standIn.requests.length < 20);
    expect(found).toEqual(reviews(fresh, visited, 'relevant').map(({ id }) => id));
    expect([found.length, standIn.requests.length]).toEqual([31, vendor.needs]);
  });

  it('refuses a wrong key, a request without credits, and one too fast', async () => {
    await using standIn = await vendor.start({ credits: 0 });
    const said = async (key?: string): Promise<[number, string]> => {
      const { status, body } = await send(standIn, vendor.web('tea', 0), key);
      return [status, JSON.stringify(Object.values(body).find((value) => typeof value === 'string'))];
    };
    const [wrong, none] = [await said('another'), await said()];
    standIn.tooFast = 1;
    const fast = await said();
    for (const [index, [status, words]] of [vendor.wrongKey, vendor.noCredits, vendor.tooFast].entries()) {
      const got = [wrong, none, fast][index]!;
      expect([got[0], words.test(JSON.parse(got[1]) as string)]).toEqual([status, true]);
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
