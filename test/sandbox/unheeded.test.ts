import { describe, expect, it } from 'vitest';
import { responses } from '../../src/sandbox/imitated.ts';
import { unheeded } from './unheeded.ts';
import { World, type WorldQuery } from '../../src/sandbox/world/World.ts';
import { type OperationName, operations } from '../../src/search/operations.ts';

const now = 1_800_000_000_000;
const world = new World({ seed: 'trawler', now: () => now });
const stay = { check_in_date: '2026-05-01', check_out_date: '2026-05-04' };
const data = (name: OperationName, query: WorldQuery): { readonly [field: string]: unknown } =>
  responses[name](query, world) as { readonly [field: string]: unknown };
const reviewed = { data_id: 'place 2' };

/** A query of each operation. */
const bases: { readonly [N in OperationName]: WorldQuery } = {
  webSearch: { query: 'coffee' },
  lightSearch: { query: 'coffee' },
  mobileSearch: { query: 'coffee' },
  autocomplete: { query: 'coffee' },
  aiMode: { query: 'coffee' },
  aiOverview: { url: `https://www.engine.example/async/overview?ei=${world.seal('overview', 'coffee', now)}` },
  imageSearch: { query: 'coffee' },
  videoSearch: { query: 'coffee' },
  newsSearch: { query: 'coffee', topic_token: world.seal('topic_token', 'World') },
  jobSearch: { query: 'coffee' },
  financeSearch: { query: 'coffee' },
  hotelSearch: { query: 'Lisbon', ...stay },
  immersiveProduct: { page_token: world.seal('product', 'kettle'), stores: true },
  mapsSearch: { query: 'coffee', ll: '@40.74,-73.98,14z' },
  mapsReviews: { ...reviewed, results: 1 },
  mapsPhotos: reviewed,
  mapsPosts: reviewed,
  scholarSearch: { query: 'coffee', results: 20 },
  scholarAuthor: { author_id: 'abcAAAAJ' },
  scholarProfiles: { mauthors: 'Springfield' },
  patentDetails: { patent_id: 'US1' },
};
const token = (name: OperationName): string => String(data(name, bases[name])['next_page_token']);
const profiles = (query: WorldQuery): { readonly next_page_token: string; readonly previous_page_token: string } =>
  data('scholarProfiles', query)['pagination'] as never;

/** Other values to try, by parameter; of one operation where the name stands before it. */
const values: { readonly [param: string]: readonly (string | number | boolean)[] } = {
  query: ['tea'], page: [1], 'mapsSearch.page': [20], html: [true], language: ['fr', 'de'], lr: ['lang_fr'], domain: ['engine.example'], country: ['ca', 'de'],
  cr: ['countryFR'], uule: ['w+C'], location: ['Lyon, France'], ludocid: ['1'], lsig: ['AB86'], kgmid: ['/m/0'], si: ['s'], ibp: ['gwp;0,7'],
  uds: ['u'], tbs: ['qdr:w'], safe: ['active'], nfpr: ['1'], filter: ['0'], period_unit: ['d'], period_value: ['3'], start_date: ['20260101'],
  end_date: ['20260131'], 'imageSearch.chips': [world.seal('chips', 'black')], 'jobSearch.chips': [world.seal('job chips', 'Full-time')],
  imgar: ['w'], imgsz: ['4mp'], image_color: ['bw'], image_type: ['animated'], licenses: ['cl'], result_time: ['qdr:w'],
  url: [`https://www.engine.example/async/overview?ei=${world.seal('overview', 'tea', now)}`], 'imageSearch.safe': ['active'],
  topic_token: [world.seal('topic_token', 'Sport')], publication_token: [world.seal('publication_token', 'The Quiet Post')],
  section_token: [world.seal('section_token', 'Latest')], so: ['1'], lrad: ['5'], ltype: ['1'], check_in_date: ['2026-04-01'],
  check_out_date: ['2026-05-09'], adults: [8], children: [6], children_ages: ['5,9'], currency: ['EUR'], sort_by: ['3'], 'mapsReviews.sort_by': ['ratingLow'],
  min_price: ['900'], max_price: ['300'], property_types: ['12'], amenities: ['35,6'], rating: ['9'], brands: ['33'], hotel_class: ['5'],
  free_cancellation: ['1'], special_offers: ['true'], eco_certified: ['1'], vacation_rentals: [true], bedrooms: ['4'], bathrooms: ['3'],
  property_token: [world.seal('hotel', 'lisbon 1')], page_token: [world.seal('product', 'lamp')], stores: [false], sori: [2], ll: ['@46.95,7.45,14z'],
  data: ['!4m5'], place_id: ['any'], data_id: ['place 3'], topic_id: [(data('mapsReviews', reviewed)['topics'] as { id: string }[])[0]!.id],
  results: [3], category_id: [(data('mapsPhotos', reviewed)['categories'] as { id: string }[])[0]!.id], cites: ['123'], as_ylo: ['2010'], as_yhi: ['2000'],
  scisbd: ['1'], cluster: ['456'], as_sdt: ['8'], as_vis: ['1'], as_rr: ['1'], author_id: ['xyzAAAAJ'], view_op: ['list_colleagues'], sort: ['title'],
  citation_id: ['abcAAAAJ:x'], mauthors: ['Shelbyville'], patent_id: ['US2'],
}; // prettier-ignore

/** Other values of a parameter for one operation. */
function valuesOf(name: OperationName, param: string): readonly (string | number | boolean)[] {
  if (param === 'next_page_token') return [token(name)];
  const next = profiles(bases.scholarProfiles).next_page_token;
  if (param === 'after_author') return [next];
  if (param === 'before_author') return [profiles({ ...bases.scholarProfiles, after_author: next }).previous_page_token];
  return values[`${name}.${param}`] ?? values[param] ?? [];
}

describe('unheeded', () => {
  it.each(Object.keys(operations) as OperationName[])('lists the parameters of %s that change nothing, and no others', (name) => {
    const base = bases[name];
    // a token belongs to its whole query, whatever the parameters mean
    const seen = (query: WorldQuery): string => JSON.stringify({ ...data(name, query), next_page_token: undefined });
    const plain = seen(base);
    const changesNothing = Object.keys(operations[name].params).filter((param) => {
      const tried = valuesOf(name, param);
      expect({ param, tried: tried.length }).not.toEqual({ param, tried: 0 });
      // the first page of author profiles is what the page before the second one is
      if (param === 'before_author') return false;
      const around = param === 'citation_id' ? { view_op: 'view_citation' } : {};
      return tried.every((value) => seen({ ...base, ...around, [param]: value }) === plain);
    });
    expect(changesNothing.toSorted()).toEqual([...unheeded[name]].toSorted());
  });
});
