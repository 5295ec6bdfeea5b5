import type { OperationName } from '../../search/operations.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { webSearch } from './webSearch.ts';
import { lightSearch } from './lightSearch.ts';
import { mobileSearch } from './mobileSearch.ts';
import { autocomplete } from './autocomplete.ts';
import { aiMode } from './aiMode.ts';
import { aiOverview } from './aiOverview.ts';
import { imageSearch } from './imageSearch.ts';
import { videoSearch } from './videoSearch.ts';
import { newsSearch } from './newsSearch.ts';
import { jobSearch } from './jobSearch.ts';
import { financeSearch } from './financeSearch.ts';
import { hotelSearch } from './hotelSearch.ts';
import { immersiveProduct } from './immersiveProduct.ts';
import { mapsSearch } from './mapsSearch.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsPhotos } from './mapsPhotos.ts';
import { mapsPosts } from './mapsPosts.ts';
import { scholarSearch } from './scholarSearch.ts';
import { scholarAuthor } from './scholarAuthor.ts';
import { scholarProfiles } from './scholarProfiles.ts';
import { patentDetails } from './patentDetails.ts';

/** Gives the `data` of one operation's answer; throws a Refusal when it can't. */
export type Answerer = (query: WorldQuery, world: World) => object;

/** Who answers which operation. */
export const answers: { readonly [N in OperationName]: Answerer } = {
  webSearch,
  lightSearch,
  mobileSearch,
  autocomplete,
  aiMode,
  aiOverview,
  imageSearch,
  videoSearch,
  newsSearch,
  jobSearch,
  financeSearch,
  hotelSearch,
  immersiveProduct,
  mapsSearch,
  mapsReviews,
  mapsPhotos,
  mapsPosts,
  scholarSearch,
  scholarAuthor,
  scholarProfiles,
  patentDetails,
};
