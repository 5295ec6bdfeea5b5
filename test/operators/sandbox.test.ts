import { lastValueFrom, map, mergeMap, of, range, take, toArray, type Observable } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aiOverviews,
  authorCitations,
  authorProfiles,
  citingWorks,
  expandCursor,
  hotelDetails,
  items,
  iterate,
  localPlaces,
  newsTopics,
  offsetPages,
  photosByCategory,
  placePhotos,
  placePosts,
  placeReviews,
  productOptions,
  reviewsByTopic,
  workVersions,
  type PageLike,
} from '../../src/operators.ts';
import type { Client } from '../../src/createClient.ts';
import { createClient } from '../../src/createClient.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const all = <T>(stream: Observable<T>): Promise<T[]> => lastValueFrom(stream.pipe(toArray()));
const stay = { check_in_date: '2030-05-01', check_out_date: '2030-05-04' };
const coffee = { query: 'coffee', ll: '@40.74,-73.98,14z' };

/** A product, by a token of an earlier response. */
const product = (client: Client): Observable<{ readonly page_token: string }> =>
  client.webSearch({ query: 'kettle' }).pipe(
    items({ rows: 'immersive_products' }),
    take(1),
    map((found) => ({ page_token: String(found['page_token']) })),
  );

/** Every operation that has pages, walked from one query. */
const walks: readonly (readonly [string, (of: Client) => Observable<PageLike>])[] = [
  ['webSearch', (client) => of({ query: 'coffee' }).pipe(offsetPages(client.webSearch))],
  ['lightSearch', (client) => of({ query: 'coffee' }).pipe(offsetPages(client.lightSearch))],
  ['mobileSearch', (client) => of({ query: 'coffee' }).pipe(offsetPages(client.mobileSearch))],
  ['imageSearch', (client) => of({ query: 'coffee' }).pipe(offsetPages(client.imageSearch))],
  ['videoSearch', (client) => of({ query: 'coffee' }).pipe(offsetPages(client.videoSearch))],
  ['jobSearch', (client) => of({ query: 'barista' }).pipe(expandCursor(client.jobSearch))],
  ['hotelSearch', (client) => of({ query: 'Oslo', ...stay }).pipe(expandCursor(client.hotelSearch))],
  ['immersiveProduct', (client) => product(client).pipe(offsetPages(client.immersiveProduct))],
  ['mapsSearch', (client) => of(coffee).pipe(offsetPages(client.mapsSearch))],
  ['mapsReviews', (client) => of({ data_id: 'place 2', results: 1 }).pipe(expandCursor(client.mapsReviews))],
  ['mapsPhotos', (client) => of({ data_id: 'place 2' }).pipe(expandCursor(client.mapsPhotos))],
  ['mapsPosts', (client) => of({ data_id: 'place 2' }).pipe(expandCursor(client.mapsPosts))],
  ['scholarSearch', (client) => of({ query: 'graphs' }).pipe(offsetPages(client.scholarSearch))],
  ['scholarProfiles', (client) => of({ mauthors: 'graph' }).pipe(expandCursor(client.scholarProfiles))],
];

describe.each(walks)('a walk of %s', (operation, walk) => {
  it('costs its pages to the end, and at most one more', async () => {
    const pages = await all(walk(client));
    const full = pages.filter(({ items }) => items.length > 0).length;
    expect(full).toBeGreaterThan(0);
    expect(sandbox.count(operation)).toBe(pages.length);
    expect(pages.length).toBeLessThanOrEqual(full + 1);
  });

  it('costs as many requests as pages are taken', async () => {
    const n = Math.min(2, (await all(walk(client))).length);
    sandbox.reset();
    await all(walk(client).pipe(take(n)));
    expect(sandbox.count(operation)).toBe(n);
  });
});

describe('a walk from a page back', () => {
  it('sends the token of one direction only', async () => {
    const [, second] = await all(of({ mauthors: 'graph' }).pipe(expandCursor(client.scholarProfiles, { maxPages: 2 })));
    const before_author = String(second!.data.pagination.previous_page_token);
    sandbox.reset();
    await all(of({ mauthors: 'graph', before_author }).pipe(expandCursor(client.scholarProfiles, { maxPages: 2 })));
    expect(sandbox.requests.map(({ query }) => Object.keys(query).toSorted())).toEqual([
      ['before_author', 'mauthors'],
      ['after_author', 'mauthors'],
    ]);
  });
});

describe('the ready fan-outs', () => {
  const places = (): Observable<{ readonly data_id: string; readonly title: string }> =>
    of(coffee).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items(), take(3));
  const works = () => of({ query: 'graphs' }).pipe(offsetPages(client.scholarSearch, { maxPages: 1 }), items());
  const one = { maxPages: 1 };

  it.each<readonly [string, () => Observable<PageLike>]>([
    ['placeReviews', () => places().pipe(placeReviews(client, one))],
    ['placePhotos', () => places().pipe(placePhotos(client, one))],
    ['placePosts', () => places().pipe(placePosts(client, one))],
    ['authorProfiles', () => works().pipe(authorProfiles(client))],
    ['authorCitations', () => works().pipe(authorProfiles(client), items(), take(2), authorCitations(client))],
    ['citingWorks', () => works().pipe(citingWorks(client, one))],
    ['workVersions', () => works().pipe(workVersions(client, one))],
    ['reviewsByTopic', () => places().pipe(placeReviews(client, one), reviewsByTopic(client, one))],
    ['photosByCategory', () => places().pipe(placePhotos(client, one), photosByCategory(client, one))],
    [
      'hotelDetails',
      () => of({ query: 'Oslo', ...stay }).pipe(expandCursor(client.hotelSearch, one), items(), hotelDetails(client, { with: stay })),
    ],
    [
      'productOptions',
      () => product(client).pipe(offsetPages(client.immersiveProduct, one), items({ rows: 'more_options' }), productOptions(client)),
    ],
    ['newsTopics', () => client.newsSearch({ query: 'weather' }).pipe(items({ rows: 'menu_links' }), newsTopics(client))],
    ['localPlaces', () => client.webSearch({ query: 'coffee' }).pipe(items({ rows: 'local_results' }), localPlaces(client))],
  ])('%s brings pages', async (_, pages) => {
    expect((await all(pages())).length).toBeGreaterThan(0);
  });

  it('aiOverviews gets the overview of an expired address by repeating its search', async () => {
    let now = Date.now();
    await using aging = await startSandbox({ now: () => now });
    await using client = createClient({ baseUrl: aging.url, apiKey: aging.apiKey, retry: { codes: { 410: 'final' } } });
    const searches = await all(range(12).pipe(mergeMap((i) => client.webSearch({ query: `why ${i}` }))));
    const withOverview = searches.filter(({ data }) => data.ai_overview_url);
    expect(withOverview.length).toBeGreaterThan(0);
    now += 3 * 60_000;
    aging.reset();
    const overviews = await all(of(...withOverview).pipe(aiOverviews(client)));
    expect(overviews).toHaveLength(withOverview.length);
    expect([aging.count('aiOverview'), aging.count('webSearch')]).toEqual([withOverview.length * 2, withOverview.length]);
  });
});

describe('iterate', () => {
  it('costs as many requests as the loop had turns', async () => {
    let turns = 0;
    for await (const _ of iterate(of(coffee).pipe(offsetPages(client.mapsSearch)))) if ((turns += 1) === 2) break;
    expect(sandbox.count()).toBe(2);
  });
});

describe('a client of concurrency 1', () => {
  it('does not lock up between parents and their children', async () => {
    await using single = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 1 });
    const rows = range(10).pipe(
      map((i) => ({ query: `coffee ${i}`, ll: coffee.ll })),
      offsetPages(single.mapsSearch, { maxPages: 1 }),
      items(),
      placePosts(single, { maxPages: 1 }),
    );
    expect((await all(rows)).length).toBe(sandbox.count('mapsPosts'));
    expect(sandbox.count('mapsSearch')).toBe(10);
    expect(single.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});

describe('200 subscriptions ended at random moments', () => {
  it('leave nothing behind', async () => {
    const pipe = of(coffee).pipe(offsetPages(client.mapsSearch, { lookahead: 2 }), items(), placeReviews(client), items());
    // A generator with a seed, so that a failure can be seen again.
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const open: { unsubscribe(): void }[] = [];
    for (let i = 0; i < 200; i++) {
      open.push(pipe.subscribe());
      if (random() < 0.5) await new Promise((resolve) => setImmediate(resolve));
      while (open.length > 0 && random() < 0.6) open.splice(Math.floor(random() * open.length), 1)[0]!.unsubscribe();
    }
    for (const subscription of open) subscription.unsubscribe();
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
    const before = client.stats().requests;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(client.stats().requests).toBe(before);
  });
});
