import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { ask } from './ask.ts';

let sandbox: Sandbox;
let now = 1_800_000_000_000;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now });
});
afterAll(() => sandbox.close());

interface Fields {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into responses freely
  readonly [field: string]: any;
}
const get = async (path: string, query: object): Promise<Fields> => {
  const { status, data, message } = await ask(sandbox, path, query);
  if (status !== 200) throw new Error(`${status}: ${message}`);
  return data as Fields;
};
/** All rows of a walk by `next_page_token`. */
async function walk(path: string, query: object, list: string): Promise<Fields[]> {
  const rows: Fields[] = [];
  for (let token: unknown = ''; typeof token === 'string';) {
    const data = await get(path, token === '' ? query : { ...query, next_page_token: token });
    rows.push(...data[list]);
    token = data['next_page_token'] === '' ? undefined : data['next_page_token'];
  }
  return rows;
}
const here = { query: 'coffee', ll: '@40.74,-73.98,14z' };

describe('the world of the sandbox', () => {
  it('has two to five pages of places, of which the last is short, each place once', async () => {
    const sizes: number[] = [];
    const ids: string[] = [];
    for (let page = 0; sizes.at(-1) !== 0; page += 20) {
      const { search_results: rows } = await get('/maps/search', { ...here, page });
      sizes.push(rows.length);
      ids.push(...rows.map((row: Fields) => row['data_id']));
    }
    expect(sizes.length).toBeGreaterThanOrEqual(3);
    expect(sizes.length).toBeLessThanOrEqual(6);
    expect(sizes.slice(0, -2)).toEqual(sizes.slice(0, -2).map(() => 20));
    expect(sizes.at(-2)).toBeLessThan(20);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows some places to several queries at one spot', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await get('/maps/search', { ...here, query }))['search_results'].map((row: Fields) => row['data_id']);
    const [coffee, tea] = [await ids('coffee'), await ids('tea')];
    const both = coffee.filter((id) => tea.includes(id)).length;
    expect(both).toBeGreaterThan(0);
    expect(both).toBeLessThan(10);
  });

  it('finds a place again by its place_id, as it was', async () => {
    const [, place] = (await get('/maps/search', here))['search_results'];
    const { search_results: found } = await get('/maps/search', { query: 'x', place_id: place.place_id });
    expect(found).toEqual([{ ...place, rank: 1 }]);
    const { local_results: local } = await get('/search', { query: 'coffee' });
    expect((await get('/maps/search', { query: 'x', place_id: local[0].place_id }))['search_results'][0].title).toBe(local[0].title);
  });

  it('gives a place as many reviews as it says, in the order asked for, by topic', async () => {
    const places: Fields[] = (await get('/maps/search', here))['search_results'];
    for (const { data_id, reviews } of places.slice(0, 6)) {
      const rows = await walk('/maps/reviews', { data_id, results: 20 }, 'reviews_results');
      expect(rows).toHaveLength(reviews);
      expect(new Set(rows.map((row) => row['review_id'])).size).toBe(reviews);
      const { topics, locationDetails } = await get('/maps/reviews', { data_id });
      expect(locationDetails.reviews).toBe(reviews);
      for (const { id, mentions } of topics.slice(0, 2)) {
        expect(await walk('/maps/reviews', { data_id, topic_id: id, results: 7 }, 'reviews_results')).toHaveLength(mentions);
      }
      const worst = await walk('/maps/reviews', { data_id, sort_by: 'ratingLow' }, 'reviews_results');
      expect(worst.map((row) => row['rating'])).toEqual(worst.map((row) => row['rating']).sort((a, b) => a - b));
      const newest = (await walk('/maps/reviews', { data_id, sort_by: 'newestFirst' }, 'reviews_results')).map((row) => row['iso_date']);
      expect(newest).toEqual([...newest].sort((a, b) => Date.parse(b) - Date.parse(a)));
    }
  });

  it('filters photos by category and pages through posts', async () => {
    const { categories } = await get('/maps/photos', { data_id: 'place 2' });
    const all = await walk('/maps/photos', { data_id: 'place 2' }, 'photos');
    const some = await walk('/maps/photos', { data_id: 'place 2', category_id: categories[0].id }, 'photos');
    expect(all.length).toBeGreaterThan(20);
    expect(some.length).toBeLessThanOrEqual(all.length);
    expect((await walk('/maps/posts', { data_id: 'place 2' }, 'post_data')).length).toBeGreaterThan(10);
  });

  it('leads from scholarly works to authors, their articles and the citing works', async () => {
    const { scholar_results: works, pagination } = await get('/scholar/search', { query: 'measurement', results: 20 });
    expect(pagination.current).toBe(1);
    const withAuthors = works.find((work: Fields) => work['authors'].length > 0);
    const [{ author_id, name }] = withAuthors.authors;
    const profile = await get('/scholar/author', { author_id });
    expect(profile['author'].name).toBe(name);
    const [{ citation_id, title }] = profile['articles'];
    expect((await get('/scholar/author', { author_id, view_op: 'view_citation', citation_id }))['citation'].title).toBe(title);
    const cited = works.find((work: Fields) => work['inline_links'].cited_by.total > 0 && work['inline_links'].cited_by.total <= 20);
    const cites = /cites=(\d+)/.exec(cited.inline_links.cited_by.link)?.[1];
    expect((await get('/scholar/search', { query: 'x', cites, results: 20 }))['scholar_results']).toHaveLength(
      cited.inline_links.cited_by.total,
    );
    const versioned = works.find((work: Fields) => work['inline_links'].versions !== undefined).inline_links.versions;
    expect((await get('/scholar/search', { query: 'x', cluster: versioned.cluster_id }))['scholar_results']).toHaveLength(versioned.total);
  });

  it('lists page numbers up to the last page, and works between two years', async () => {
    const numbers: number[] = [];
    for (let page = 0; ; page++) {
      const { scholar_results: rows, pagination } = await get('/scholar/search', { query: 'signal', as_ylo: '1990', as_yhi: '2020', page });
      numbers.push(rows.length);
      for (const row of rows) expect(Number(/, (\d{4}) - /.exec(row.displayed_link)?.[1])).toBeGreaterThanOrEqual(1990);
      if (!Object.keys(pagination.page_no).some((number) => Number(number) > pagination.current)) break;
    }
    expect(numbers.length).toBeGreaterThan(1);
    expect(numbers.at(-1)).toBeGreaterThan(0);
  });

  it('leads through author profiles in both directions, with null at the ends', async () => {
    const first = await get('/scholar/profiles', { mauthors: 'Springfield' });
    expect(first['pagination'].previous_page_token).toBeNull();
    const second = await get('/scholar/profiles', { mauthors: 'Springfield', after_author: first['pagination'].next_page_token });
    const back = await get('/scholar/profiles', { mauthors: 'Springfield', before_author: second['pagination'].previous_page_token });
    expect(back).toEqual(first);
    let last = second;
    while (last['pagination'].next_page_token !== null)
      last = await get('/scholar/profiles', { mauthors: 'Springfield', after_author: last['pagination'].next_page_token });
    expect(last['profiles'].length).toBeGreaterThan(0);
  });

  it('keeps an overview for two minutes', async () => {
    const { ai_overview_url: url } = await get('/search', { query: 'coffee' });
    now += 119_000;
    expect((await get('/ai-overview', { url }))['ai_overview'].references[0].index).toBe(1);
    now += 2000;
    expect(await ask(sandbox, '/ai-overview', { url })).toMatchObject({ status: 200, code: 410, data: null });
    const { ai_overview_url: fresh } = await get('/search', { query: 'coffee' });
    expect((await get('/ai-overview', { url: fresh }))['ai_overview'].text_blocks.length).toBeGreaterThan(0);
  });

  it('opens hotels and products by their tokens', async () => {
    const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-04' };
    const { ads, properties } = await get('/hotels/search', stay);
    expect(properties.map((each: Fields) => each['property_token'])).toContain(ads[0].property_token);
    const one = await get('/hotels/search', { ...stay, property_token: ads[0].property_token });
    expect(one['properties']).toHaveLength(1);
    expect(one['properties'][0]).toMatchObject({ property_token: ads[0].property_token, description: expect.any(String) });

    const { immersive_products: products } = await get('/search', { query: 'kettle' });
    const product = await get('/immersive/product', { page_token: products[0].page_token });
    const other = await get('/immersive/product', { page_token: product['more_options'][0].token });
    expect(other['title']).toBe(product['more_options'][0].title);
  });

  it('leads through all hotels by the token of each page, each hotel once', async () => {
    const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-04' };
    const first = await get('/hotels/search', stay);
    const tokens = (await walk('/hotels/search', stay, 'properties')).map((each) => each['property_token']);
    expect(tokens.length).toBeGreaterThan(first['properties'].length);
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  it('counts sellers on from those that are there already', async () => {
    const { immersive_products: products } = await get('/search', { query: 'kettle' });
    const page_token = products[0].page_token;
    const names: string[] = [];
    for (let more = true; more;) {
      const { stores } = await get('/immersive/product', { page_token, stores: true, sori: names.length });
      names.push(...stores.map((store: Fields) => store['link']));
      more = stores.length > 0;
    }
    expect(names.length).toBeGreaterThan(2);
    expect(new Set(names).size).toBe(names.length);
  });

  it('sorts and filters hotels', async () => {
    const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-02' };
    const cheap = await walk('/hotels/search', { ...stay, sort_by: '3', max_price: '200' }, 'properties');
    const prices = cheap.map((each) => Number.parseInt(each['total_rate'], 10));
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
    expect(Math.max(...prices)).toBeLessThanOrEqual(200);
    const good = await walk('/hotels/search', { ...stay, rating: '9', hotel_class: '4,5' }, 'properties');
    for (const each of good)
      expect(each).toMatchObject({
        hotel_class: expect.toSatisfy((stars: number) => stars >= 4),
        overall_rating: expect.toSatisfy((rating: number) => rating >= 4.5),
      });
  });

  it.each<[string, object]>([
    ['/maps/reviews', { data_id: 'x', next_page_token: 'made up' }],
    ['/maps/reviews', { data_id: 'x', next_page_token: 'WyJhIiwxXQ.AAAAAAAAAAA' }],
    ['/maps/reviews', { data_id: 'x', topic_id: '/m/0made' }],
    ['/maps/photos', { data_id: 'x', category_id: 'made up' }],
    ['/immersive/product', { page_token: 'made up' }],
    ['/hotels/search', { query: 'x', check_in_date: '2026-05-01', check_out_date: '2026-05-04', property_token: 'made up' }],
    ['/news/search', { query: 'x', topic_token: 'made up' }],
    ['/images/search', { query: 'x', chips: 'made up' }],
    ['/jobs/search', { query: 'x', chips: 'made up' }],
    ['/ai-overview', { url: 'https://made.up/?ei=x' }],
    ['/scholar/profiles', { mauthors: 'x', after_author: 'made up' }],
    ['/scholar/author', { author_id: 'a', view_op: 'view_citation', citation_id: 'b:c' }],
  ])('refuses at %s what no response handed out: %o', async (path, query) => {
    expect((await ask(sandbox, path, query)).status).toBe(400);
  });

  it('refuses a token of another query', async () => {
    const { next_page_token: token } = await get('/maps/reviews', { data_id: 'place 2', results: 1 });
    expect(await ask(sandbox, '/maps/reviews', { data_id: 'place 3', results: 1, next_page_token: token })).toMatchObject({
      status: 400,
      message: expect.stringContaining('another query'),
    });
  });

  it('adds the page itself where html is asked for', async () => {
    expect((await get('/search', { query: 'a', html: true }))['html']).toContain('<!doctype html>');
    expect(await get('/search', { query: 'a' })).not.toHaveProperty('html');
  });
});
