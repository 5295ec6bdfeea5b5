import { madeOperation } from '../../contract/madeOperation.ts';
import type { Operation, OperationSpec } from '../../contract/Operation.ts';
import { madeService, type Service } from '../../contract/Service.ts';
import { fieldsOf, kindOfShape, type ObjectShape, type Shape } from '../../contract/Shape.ts';
import { operations as ours } from '../../search/operations.ts';
import { fanOutsOf, type FanOutsOf } from '../fanOutsOf.ts';

/** One of our operations at another path. It has our parameters and fields, but any field may be missing. */
function at<O extends Operation>({ spec }: O, get: `/${string}`, own: Partial<OperationSpec> = {}): O {
  return madeOperation({ ...spec, get, response: sparse(spec.response) as OperationSpec['response'], ...own }) as Operation as O;
}

/** The same shape with all fields optional, except the one that tells alternatives apart. */
function sparse(shape: Shape, by?: string): Shape {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return [sparse(at.of)];
  if (at.kind === 'hint') return { $hint: sparse(at.of) };
  if (at.kind === 'nullable') return { $nullable: sparse(at.of) };
  if (at.kind === 'oneOf') return { ...at.union, $oneOf: at.union.$oneOf.map((one) => sparse(one, at.union.$by)) };
  if (at.kind !== 'object') return shape;
  return Object.fromEntries(fieldsOf(at.object).map(({ name, shape: field }) => [name === by ? name : `${name}?`, sparse(field)]));
}

/** Programs that use it find the token at these places. */
const tokens = { next: ['pagination.next_page_token', 'scrapingdog_pagination.next_page_token', 'next_page_token'] } as const;

/** Where a page lists the numbers of all pages. Only pages of works also say their own number. */
const listed = 'scrapingdog_pagination.page_no';
const ofPages = { ownPaging: { numbers: { at: listed } } } as const;
const ofWorks = { ownPaging: { numbers: { at: listed, current: 'scrapingdog_pagination.current' } } } as const;

const { page: _, ...imageParams } = ours.imageSearch.params;
/** Its pages begin at a number of images. */
const images = {
  params: { ...imageParams, start: { type: 'integer', min: 0, about: 'images to skip' } },
  query: { start: '${offset}' },
} as const;

/** That `properties` has the hotels that aren't advertised is a guess. */
const { ads, ...others } = ours.hotelSearch.spec.response;
const hotels = { response: sparse({ ...others, ads, properties: ads }) as ObjectShape, rows: 'properties' };

const account = madeOperation({
  get: '/account',
  about: 'The credits of the plan, and those that are used.',
  params: {},
  response: { requestLimit: 'integer', requestUsed: 'integer', 'pack?': 'string' },
  rows: null,
});

const operations = {
  webSearch: at(ours.webSearch, '/google', { query: { page: '${page}', advance_search: true }, ...ofPages }),
  lightSearch: at(ours.lightSearch, '/google', ofPages),
  mobileSearch: at(ours.mobileSearch, '/google', { query: { page: '${page}', mob_search: true }, ...ofPages }),
  autocomplete: at(ours.autocomplete, '/google_autocomplete'),
  aiMode: at(ours.aiMode, '/google/ai_mode'),
  aiOverview: at(ours.aiOverview, '/google/ai_overview'),
  imageSearch: at(ours.imageSearch, '/google_images', images),
  newsSearch: at(ours.newsSearch, '/google_news/v2'),
  hotelSearch: at(ours.hotelSearch, '/google_hotels', { ...tokens, ...hotels }),
  immersiveProduct: at(ours.immersiveProduct, '/google_immersive_product'),
  jobSearch: at(ours.jobSearch, '/google_jobs', tokens),
  financeSearch: at(ours.financeSearch, '/google_finance'),
  mapsSearch: at(ours.mapsSearch, '/google_maps'),
  mapsReviews: at(ours.mapsReviews, '/google_maps/reviews', tokens),
  mapsPhotos: at(ours.mapsPhotos, '/google_maps/photos', tokens),
  mapsPosts: at(ours.mapsPosts, '/google_maps/posts', tokens),
  scholarSearch: at(ours.scholarSearch, '/google_scholar', ofWorks),
  scholarProfiles: at(ours.scholarProfiles, '/google_scholar/profiles'),
  scholarAuthor: at(ours.scholarAuthor, '/google_scholar/author'),
  patentDetails: at(ours.patentDetails, '/google_patents/details'),
  account,
};

/**
 * ScrapingDog (scrapingdog.com). It uses the names of our operations. Where tokens are and how images page is known from programs that use
 * it. No search of whole videos was found. Its responses repeat the key in addresses.
 */
export const scrapingdog: Service<typeof operations, FanOutsOf<typeof operations>> = madeService({
  name: 'scrapingdog',
  about: 'Results of Google, in the names that ours have.',
  baseUrl: 'https://api.scrapingdog.com',
  query: { api_key: '${key}' },
  account: { call: 'account', left: 'requestLimit', used: 'requestUsed' },
  envelope: { error: 'error', message: 'message' },
  // two guesses: 401 means a wrong key, and 403 that nothing is left
  failures: [
    { status: 403, means: 'quota' },
    { status: 410, means: 'busy' },
  ],
  price: { unit: 'credits', default: 5, webSearch: 10, mobileSearch: 10, aiMode: 10, account: 0, failed: 0 },
  operations,
  fanOuts: fanOutsOf(operations),
});
