import { describe, expect, it } from 'vitest';
import { responses } from '../../src/sandbox/imitated.ts';
import { World, type WorldQuery } from '../../src/sandbox/world/World.ts';
import type { OperationName } from '../../src/search/operations.ts';

interface Fields {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into responses freely
  readonly [field: string]: any;
}
const world = new World({ seed: 'trawler', now: () => 0 });
const get = (name: OperationName, query: WorldQuery): Fields => responses[name](query, world) as Fields;
const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-02' };
const hotels = (filters: WorldQuery): Fields[] => get('hotelSearch', { ...stay, ...filters })['properties'] as Fields[];

describe('the sandbox', () => {
  it('has one number of reviews for a place in web, light, mobile and maps search', () => {
    const query = { query: 'coffee' };
    const [web] = get('webSearch', query)['local_results'];
    const [light] = get('lightSearch', query)['local_results'];
    const [mobile] = get('mobileSearch', query)['local_results'];
    const [maps] = get('mapsSearch', { ...query, place_id: web.place_id })['search_results'];
    expect([web.title, light.title, mobile.title]).toEqual([maps.title, maps.title, maps.title]);
    expect([web.reviews, light.reviews, mobile.reviews]).toEqual([String(maps.reviews), String(maps.reviews), String(maps.reviews)]);
    expect(get('mapsReviews', { data_id: maps.data_id })['locationDetails'].reviews).toBe(maps.reviews);
  });

  it('has advertised hotels that agree with their property', () => {
    const { ads, properties } = get('hotelSearch', stay);
    for (const ad of ads) {
      const own = properties.find((each: Fields) => each['property_token'] === ad.property_token);
      const same = ({ gps_coordinates, amenities, reviews, overall_rating, hotel_class }: Fields): object => ({ gps_coordinates, amenities, reviews, overall_rating, hotel_class }); // prettier-ignore
      expect(same(ad)).toEqual(same(own));
    }
  });

  it('finds hotels by what they have', () => {
    const all = hotels({});
    expect(hotels({ amenities: '35,6' }).every(({ amenities }) => amenities.includes('Free Wi-Fi') && amenities.includes('Pool'))).toBe(
      true,
    );
    for (const filter of [{ amenities: '35,6' }, { brands: '33' }, { free_cancellation: '1' }, { eco_certified: '1' }, { special_offers: '1' }, { property_types: '12' }, { bedrooms: '3' }, { adults: 6 }]) {
      const found = get('hotelSearch', { ...stay, ...filter });
      expect(found['properties'].length).toBeGreaterThan(0);
      expect(found['properties']).not.toEqual(all);
    } // prettier-ignore
    for (const ad of get('hotelSearch', { ...stay, free_cancellation: '1' })['ads']) expect(ad.free_cancellation).toBe(true);
  });

  it('gives images of the requested size, shape and licence', () => {
    const images = (filters: WorldQuery): Fields[] => get('imageSearch', { query: 'cats', ...filters })['images_results'] as Fields[];
    for (const { original_width, original_height } of images({ imgsz: '4mp' }))
      expect(original_width * original_height).toBeGreaterThanOrEqual(4_000_000);
    for (const { original_width, original_height } of images({ imgar: 't' })) expect(original_width).toBeLessThan(original_height);
    for (const { original_width, original_height } of images({ imgar: 'w' })) expect(original_width).toBeGreaterThan(original_height);
    for (const { original_width } of images({ imgsz: 'i' })) expect(original_width).toBeLessThanOrEqual(128);
    for (const { is_licensable } of images({ licenses: 'cl' })) expect(is_licensable).toBe(true);
    expect(images({ image_color: 'bw' })).not.toEqual(images({}));
  });

  it('gives videos of the last week, and articles of one publication, on request', () => {
    for (const { time } of get('videoSearch', { query: 'cats', result_time: 'qdr:w' })['videos_results'])
      expect(time).toMatch(/hour|day|2026-0[45]/);
    const { publications } = get('newsSearch', { query: 'rates' });
    const { news_results: news } = get('newsSearch', { query: 'rates', publication_token: publications[0].publication_token });
    for (const each of news.filter((one: Fields) => one['source'] !== undefined)) expect(each.source).toBe(publications[0].title);
  });

  it('gives the news of the last day, the newest first, in the section of the latest', () => {
    const topic = { query: 'rates', topic_token: get('newsSearch', { query: 'rates' })['menu_links'][0].topic_token };
    const [{ title, section_token }] = get('newsSearch', topic)['sub_menu_links'];
    expect(title).toBe('Latest');
    const dates = (query: WorldQuery): number[] =>
      get('newsSearch', query)['news_results'].flatMap((one: Fields) => (one['date'] === undefined ? [] : [Date.parse(one['date'])]));
    const latest = dates({ ...topic, section_token });
    expect(latest.length).toBeGreaterThan(5);
    expect(latest).toEqual(latest.toSorted((a, b) => b - a));
    const day = 86_400_000;
    expect(latest[0]! - latest.at(-1)!).toBeLessThan(day);
    const all = dates(topic);
    expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(day);
  });

  it('gives jobs nearby and of one type', () => {
    for (const { location } of get('jobSearch', { query: 'nurse', lrad: '5' })['jobs_results']) expect(location).toBe('Springfield');
    const { filters } = get('jobSearch', { query: 'nurse' });
    const { text, chips } = filters[0].options[1];
    for (const job of get('jobSearch', { query: 'nurse', chips })['jobs_results']) expect(job.detected_extensions.schedule_type).toBe(text);
  });

  it('gives fewer works for filters', () => {
    const works = (filters: WorldQuery): string[] => get('scholarSearch', { query: 'signal', results: 20, ...filters })['scholar_results'].map(({ id }: Fields) => String(id['id'] ?? id)); // prettier-ignore
    const count = (filters: WorldQuery): string =>
      String(get('scholarSearch', { query: 'signal', ...filters })['search_details'].number_of_results);
    expect(works({}).length).toBeGreaterThan(0);
    for (const filter of [{ as_rr: '1' }, { scisbd: '1' }, { as_vis: '1' }, { as_sdt: '8' }]) {
      expect(Number(/\d+/.exec(count(filter))?.[0])).toBeLessThan(Number(/\d+/.exec(count({}))?.[0]));
    }
  });

  it('sells a product for the price that its option had', () => {
    const { immersive_products: products } = get('webSearch', { query: 'kettle' });
    const product = get('immersiveProduct', { page_token: products[0].page_token });
    expect(product['stores'][0].price).toBe(products[0].price);
    const [option] = product['more_options'];
    expect(get('immersiveProduct', { page_token: option.token })['stores'][0].price).toBe(option.price);
  });

  it('leads an author on only while there are articles left', () => {
    for (const author_id of ['aAAAAJ', 'bAAAAJ', 'cAAAAJ', 'dAAAAJ']) {
      const all = get('scholarAuthor', { author_id, results: 100 });
      expect(all['pagination']).toEqual({});
      const first = get('scholarAuthor', { author_id, results: 5 });
      expect(Object.keys(first['pagination']).length).toBe(all['articles'].length > 5 ? 1 : 0);
    }
  });
});
