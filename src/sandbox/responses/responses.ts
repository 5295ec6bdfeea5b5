import type { OperationName } from '../../search/operations.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { webSearchData } from './webSearchData.ts';
import { lightSearchData } from './lightSearchData.ts';
import { mobileSearchData } from './mobileSearchData.ts';
import { autocompleteData } from './autocompleteData.ts';
import { aiModeData } from './aiModeData.ts';
import { aiOverviewData } from './aiOverviewData.ts';
import { imageSearchData } from './imageSearchData.ts';
import { videoSearchData } from './videoSearchData.ts';
import { newsSearchData } from './newsSearchData.ts';
import { jobSearchData } from './jobSearchData.ts';
import { financeSearchData } from './financeSearchData.ts';
import { hotelSearchData } from './hotelSearchData.ts';
import { immersiveProductData } from './immersiveProductData.ts';
import { mapsSearchData } from './mapsSearchData.ts';
import { mapsReviewsData } from './mapsReviewsData.ts';
import { mapsPhotosData } from './mapsPhotosData.ts';
import { mapsPostsData } from './mapsPostsData.ts';
import { scholarSearchData } from './scholarSearchData.ts';
import { scholarAuthorData } from './scholarAuthorData.ts';
import { scholarProfilesData } from './scholarProfilesData.ts';
import { patentDetailsData } from './patentDetailsData.ts';

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
