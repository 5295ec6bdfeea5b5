import { firstValueFrom, type Observable } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/createClient.ts';
import type { ClientEvent } from '../../src/client/events/clientEvents.ts';
import { createClient } from '../../src/createClient.ts';
import type { Page } from '../../src/client/Client.ts';
import { InvalidQueryError } from '../../src/errors/index.ts';
import { type OperationName, operations } from '../../src/search/operations.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { World } from '../../src/sandbox/world/World.ts';

type Query = { readonly [param: string]: string | number | boolean };
type Ask = (query: object) => Promise<Page>;

/** Makes the tokens that an earlier response would have given. */
const world = new World({ seed: 'trawler', now: Date.now });
const localized = { language: 'fr', country: 'ca' };
const web = {
  query: 'a "quoted" & b=c',
  page: 1,
  html: true,
  language: 'fr',
  lr: 'lang_fr',
  domain: 'engine.example',
  country: 'ca',
  cr: 'countryFR',
  uule: 'w+CAIQICI',
  location: 'Lyon, France',
  ludocid: '1',
  lsig: 'AB86',
  kgmid: '/m/0',
  si: 's',
  ibp: 'gwp;0,7',
  uds: 'u',
  tbs: 'qdr:w',
  safe: 'active',
  nfpr: '1',
  filter: '0',
};
const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-04' };
const hotels = { ...stay, adults: 1, children: 1, children_ages: '5', html: false, ...localized, currency: 'EUR', sort_by: '3', min_price: '1', max_price: '9999' }; // prettier-ignore
/** Filters that few hotels pass all of. */
const filtered = [
  { ...stay, property_types: '12,13', amenities: '35', rating: '7' },
  { ...stay, brands: '33,67,101', hotel_class: '2,3,4,5', free_cancellation: '1' },
  { ...stay, special_offers: 'true', eco_certified: '1', vacation_rentals: true, bedrooms: '1', bathrooms: '1' },
];
const images = {
  query: 'cats',
  html: true,
  page: 1,
  domain: 'engine.example',
  country: 'ca',
  cr: 'countryFR',
  language: 'fr',
  lr: 'lang_fr',
  uule: 'w+C',
  tbs: 'itp:photos',
  safe: 'active',
  nfpr: '0',
  filter: '1',
  period_unit: 'd',
  period_value: '3',
  start_date: '20260101',
  end_date: '20260131',
  chips: world.seal('chips', 'black'),
  imgar: 'w',
  imgsz: '4mp',
  image_color: 'bw',
  image_type: 'photo',
  licenses: 'cl',
};
const news = { query: 'rates', ...localized, topic_token: world.seal('topic_token', 'World'), so: '1' };
const jobs = { query: 'nurse', ...localized, uds: 'u', uule: 'w+C' };
const nearJobs = { ...jobs, chips: world.seal('job chips', 'Full-time'), lrad: '12.5', ltype: '1' };
const works = {
  query: 'author:ada measurement',
  html: true,
  cites: '123456789',
  as_ylo: '1985',
  as_yhi: '2026',
  scisbd: '0',
  language: 'fr',
  lr: 'lang_fr',
  page: 0,
  results: 5,
  as_sdt: '7',
  safe: 'active',
  filter: '0',
  as_vis: '1',
  as_rr: '0',
};

/** A first page, and the one after it with the token that it gave. */
const twoPages =
  (query: Query, token: (data: never) => unknown, param = 'next_page_token') =>
  async (ask: Ask): Promise<Query[]> => {
    const { data } = await ask(query);
    return [query, { ...query, [param]: String(token(data as never)) }];
  };
const top = (data: { readonly next_page_token?: string }): unknown => data.next_page_token;

/** For each operation queries that between them have every parameter, and one that must not go out. */
const cases: {
  readonly [N in OperationName]: { readonly asks: readonly Query[] | ((ask: Ask) => Promise<Query[]>); readonly refused: Query };
} = {
  webSearch: { asks: [web], refused: { query: 'x', page: -1 } },
  lightSearch: { asks: [web], refused: { query: 'x', page: 1.5 } },
  mobileSearch: { asks: [web], refused: { query: 'x', safe: 'on' } },
  autocomplete: { asks: [{ query: 'caf', ...localized }], refused: { language: 'en' } },
  aiMode: {
    asks: [{ query: 'why?', html: true, country: 'ca', uule: 'w', location: 'Lyon', safe: 'off' }],
    refused: { query: 'why?', language: 'en' },
  },
  aiOverview: {
    asks: async (ask) => {
      const { data } = await ask({ query: 'coffee' });
      return [{ url: (data as { readonly ai_overview_url: string }).ai_overview_url }];
    },
    refused: { url: '' },
  },
  imageSearch: { asks: [images], refused: { query: 'x', start_date: '20260230' } },
  videoSearch: {
    asks: [
      {
        query: 'cats',
        page: 1,
        html: true,
        country: 'ca',
        domain: 'engine.example',
        language: 'fr',
        lr: 'lang_fr',
        uule: 'w',
        tbs: 'dur:s',
        safe: 'active',
        nfpr: '1',
        result_time: 'qdr:d',
      },
    ],
    refused: { query: 'x', lr: 'french' },
  },
  newsSearch: {
    asks: [
      { ...news, section_token: world.seal('section_token', 'Latest') },
      { query: 'rates', publication_token: world.seal('publication_token', 'The Post') },
    ],
    refused: { query: 'x', country: 'usa' },
  },
  jobSearch: { asks: async (ask) => [...(await twoPages(jobs, top)(ask)), nearJobs], refused: { query: 'x', lrad: 'far' } },
  financeSearch: { asks: [{ query: 'ACME', html: true, language: 'fr' }], refused: { query: 'ACME', html: 'yes' } },
  hotelSearch: {
    asks: async (ask) => [...(await twoPages(hotels, top)(ask)), ...filtered, { ...stay, property_token: world.seal('hotel', 'lisbon 1') }],
    refused: { ...stay, check_out_date: '2026-05-01' },
  },
  immersiveProduct: {
    asks: [{ page_token: world.seal('product', 'kettle'), stores: true, sori: 2, ...localized }],
    refused: { page_token: 'x', sori: -1 },
  },
  mapsSearch: {
    asks: [
      { query: 'tea', ll: '@40.74,-73.98,14z', domain: 'engine.example', language: 'fr', country: 'ca', data: '!4m5', page: 20 },
      { query: 'tea', place_id: 'ChIJufoLS2JDABiPOxMdo0vwZA' },
    ],
    refused: { query: 'tea', ll: '@40.74,-73.98,14z', page: 10 },
  },
  mapsReviews: {
    asks: async (ask) => {
      const query = { data_id: 'abc', language: 'fr', sort_by: 'newestFirst', results: 1 };
      const { data } = await ask(query);
      const { id } = (data as { readonly topics: readonly { readonly id: string }[] }).topics[0]!;
      return twoPages({ ...query, topic_id: id }, top)(ask);
    },
    refused: { data_id: 'abc', results: 21 },
  },
  mapsPhotos: {
    asks: async (ask) => {
      const query = { data_id: 'place 2', language: 'fr' };
      const { data } = await ask(query);
      const { id } = (data as { readonly categories: readonly { readonly id: string }[] }).categories[0]!;
      return [...(await twoPages(query, top)(ask)), { ...query, category_id: id }];
    },
    refused: { category_id: 'x' },
  },
  mapsPosts: { asks: twoPages({ data_id: 'place 2' }, top), refused: { data_id: 'x', language: 'en' } },
  scholarSearch: { asks: [works, { query: 'x', cluster: '42' }], refused: { query: 'x', as_ylo: '2020', as_yhi: '2019' } },
  scholarAuthor: {
    asks: [
      { author_id: 'abcAAAAJ', results: 3, language: 'fr', sort: 'pubdate' },
      { author_id: 'abcAAAAJ', view_op: 'list_colleagues' },
      { author_id: 'abcAAAAJ', view_op: 'view_citation', citation_id: 'abcAAAAJ:u5HHmVD_uO8C' },
    ],
    refused: { author_id: 'abcAAAAJ', view_op: 'view_citation' },
  },
  scholarProfiles: {
    asks: async (ask) => {
      const [first, second] = await twoPages(
        { mauthors: 'Springfield' },
        (data: { pagination: { next_page_token: string } }) => data.pagination.next_page_token,
        'after_author',
      )(ask);
      const back = await twoPages(
        second!,
        (data: { pagination: { previous_page_token: string } }) => data.pagination.previous_page_token,
        'before_author',
      )(ask);
      return [first!, second!, { mauthors: 'Springfield', before_author: back[1]!['before_author']! }];
    },
    refused: { mauthors: 'x', after_autor: 't' },
  },
  patentDetails: { asks: [{ patent_id: 'patent/US11734097B1/en', language: 'fr', html: true }], refused: { patent_id: '' } },
};

describe('the operations over a real socket', () => {
  let sandbox: Sandbox;
  let client: Client;
  const drift: ClientEvent[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { maxAttempts: 1 } });
    client.events$.subscribe((event) => {
      if (event.type === 'drift') drift.push(event);
    });
  });
  afterAll(async () => {
    await client.close();
    await sandbox.close();
  });
  beforeEach(() => sandbox.reset());

  const names = Object.keys(operations) as OperationName[];

  it.each(names)('%s: every parameter goes over the wire as given, and a typed page with rows comes back', async (name) => {
    const factory = client[name] as (query: object) => Observable<Page>;
    const { asks } = cases[name];
    const source = name === 'aiOverview' ? (client.webSearch as typeof factory) : factory;
    const queries = typeof asks === 'function' ? await asks((query) => firstValueFrom(source(query))) : asks;
    sandbox.reset();
    for (const query of queries) {
      const page = await firstValueFrom(factory(query));
      const wire = Object.fromEntries(Object.entries(query).map(([param, value]) => [param, String(value)]));
      expect(sandbox.requests.at(-1)).toMatchObject({ operation: name, query: wire, status: 200 });
      expect(page).toMatchObject({
        operation: name,
        query,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: expect.any(Number),
      });
      expect(page.items.length).toBeGreaterThan(0);
      expect(page.list).toBe('present');
    }
    expect(sandbox.count()).toBe(queries.length);
    expect(drift).toEqual([]);
    const given = new Set(queries.flatMap((query) => Object.keys(query)));
    expect([...given].sort()).toEqual(Object.keys(operations[name].params).sort());
  });

  it.each(names)('%s: a bad query is refused before any request', async (name) => {
    const factory = client[name] as (query: object) => Observable<Page>;
    await expect(firstValueFrom(factory(cases[name].refused))).rejects.toThrow(InvalidQueryError);
    expect(sandbox.requests).toEqual([]);
  });
});
