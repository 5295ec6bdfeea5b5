import type { OperationName } from '../../search/operations.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { webSearchData, lightSearchData, mobileSearchData, autocompleteData, aiModeData, aiOverviewData } from './webData.ts';
import { imageSearchData, videoSearchData, newsSearchData } from './mediaData.ts';
import { jobSearchData, financeSearchData } from './marketData.ts';
import { hotelSearchData, immersiveProductData } from './productData.ts';
import { mapsSearchData, mapsReviewsData, mapsPhotosData, mapsPostsData } from './mapsData.ts';
import { scholarSearchData, scholarAuthorData, scholarProfilesData, patentDetailsData } from './scholarData.ts';

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
