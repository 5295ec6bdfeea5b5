import type { OperationName } from '../search/operations.ts';
import { searchService } from '../search/searchService.ts';
import { refuseInvalid } from './readQuery.ts';
import type { World, WorldQuery } from './world/World.ts';
import type { Operation, Service } from '../contract/index.ts';
import { webSearchData, lightSearchData, mobileSearchData, autocompleteData, aiModeData, aiOverviewData } from './responses/webData.ts';
import { imageSearchData, videoSearchData, newsSearchData } from './responses/mediaData.ts';
import { jobSearchData, financeSearchData } from './responses/marketData.ts';
import { hotelSearchData, immersiveProductData } from './responses/productData.ts';
import { mapsSearchData, mapsReviewsData, mapsPhotosData, mapsPostsData } from './responses/mapsData.ts';
import { scholarSearchData, scholarAuthorData, scholarProfilesData, patentDetailsData } from './responses/scholarData.ts';

/** A correct response. */
export interface ImitatedResponse {
  readonly data: unknown;
  /** Values in the body outside of the data, by dotted path. */
  readonly beside?: { readonly [path: string]: unknown };
  readonly headers?: { readonly [name: string]: string };
}

/** A service that the sandbox imitates, and how it responds. */
export interface Imitated {
  readonly service: Service;
  /** Returns the query with what its token holds of it. Throws a SandboxRefusal if it is invalid. */
  readonly wholeQuery: (operation: Operation, query: WorldQuery, world: World) => WorldQuery;
  /** Returns the correct response. Throws a SandboxRefusal if there is none. */
  readonly respond: (operation: Operation, query: WorldQuery, world: World) => ImitatedResponse;
}

/** The embedded service. */
export const searchImitated: Imitated = {
  service: searchService,
  wholeQuery: refuseInvalid,
  respond: ({ name, spec }, query, world) => {
    const html = query['html'] === true ? { html: `<!doctype html><title>${spec.title}</title>` } : {};
    return { data: { ...responses[name as OperationName](query, world), ...html } };
  },
};

/** Returns the `data` of one operation's response. Throws a SandboxRefusal if it can't. */
type ResponseData = (query: WorldQuery, world: World) => object;

/** The handler of each operation. */
export const responses: { readonly [N in OperationName]: ResponseData } = {
  webSearch: webSearchData,
  lightSearch: lightSearchData,
  mobileSearch: mobileSearchData,
  autocomplete: autocompleteData,
  aiMode: aiModeData,
  aiOverview: aiOverviewData,
  imageSearch: imageSearchData,
  videoSearch: videoSearchData,
  newsSearch: newsSearchData,
  jobSearch: jobSearchData,
  financeSearch: financeSearchData,
  hotelSearch: hotelSearchData,
  immersiveProduct: immersiveProductData,
  mapsSearch: mapsSearchData,
  mapsReviews: mapsReviewsData,
  mapsPhotos: mapsPhotosData,
  mapsPosts: mapsPostsData,
  scholarSearch: scholarSearchData,
  scholarAuthor: scholarAuthorData,
  scholarProfiles: scholarProfilesData,
  patentDetails: patentDetailsData,
};
