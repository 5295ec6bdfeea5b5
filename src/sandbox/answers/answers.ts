import type { OperationName } from '../../search/operations.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { answerWebSearch } from './answerWebSearch.ts';
import { answerLightSearch } from './answerLightSearch.ts';
import { answerMobileSearch } from './answerMobileSearch.ts';
import { answerAutocomplete } from './answerAutocomplete.ts';
import { answerAiMode } from './answerAiMode.ts';
import { answerAiOverview } from './answerAiOverview.ts';
import { answerImageSearch } from './answerImageSearch.ts';
import { answerVideoSearch } from './answerVideoSearch.ts';
import { answerNewsSearch } from './answerNewsSearch.ts';
import { answerJobSearch } from './answerJobSearch.ts';
import { answerFinanceSearch } from './answerFinanceSearch.ts';
import { answerHotelSearch } from './answerHotelSearch.ts';
import { answerImmersiveProduct } from './answerImmersiveProduct.ts';
import { answerMapsSearch } from './answerMapsSearch.ts';
import { answerMapsReviews } from './answerMapsReviews.ts';
import { answerMapsPhotos } from './answerMapsPhotos.ts';
import { answerMapsPosts } from './answerMapsPosts.ts';
import { answerScholarSearch } from './answerScholarSearch.ts';
import { answerScholarAuthor } from './answerScholarAuthor.ts';
import { answerScholarProfiles } from './answerScholarProfiles.ts';
import { answerPatentDetails } from './answerPatentDetails.ts';

/** Returns the `data` of one operation's response. Throws a SandboxRefusal if it can't. */
export type Answerer = (query: WorldQuery, world: World) => object;

/** The handler of each operation. */
export const answers: { readonly [N in OperationName]: Answerer } = {
  webSearch: answerWebSearch,
  lightSearch: answerLightSearch,
  mobileSearch: answerMobileSearch,
  autocomplete: answerAutocomplete,
  aiMode: answerAiMode,
  aiOverview: answerAiOverview,
  imageSearch: answerImageSearch,
  videoSearch: answerVideoSearch,
  newsSearch: answerNewsSearch,
  jobSearch: answerJobSearch,
  financeSearch: answerFinanceSearch,
  hotelSearch: answerHotelSearch,
  immersiveProduct: answerImmersiveProduct,
  mapsSearch: answerMapsSearch,
  mapsReviews: answerMapsReviews,
  mapsPhotos: answerMapsPhotos,
  mapsPosts: answerMapsPosts,
  scholarSearch: answerScholarSearch,
  scholarAuthor: answerScholarAuthor,
  scholarProfiles: answerScholarProfiles,
  patentDetails: answerPatentDetails,
};
