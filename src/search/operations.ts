import { webSearch } from './operations/webSearch.ts';
import { lightSearch } from './operations/lightSearch.ts';
import { mobileSearch } from './operations/mobileSearch.ts';
import { autocomplete } from './operations/autocomplete.ts';
import { aiMode } from './operations/aiMode.ts';
import { aiOverview } from './operations/aiOverview.ts';
import { imageSearch } from './operations/imageSearch.ts';
import { videoSearch } from './operations/videoSearch.ts';
import { newsSearch } from './operations/newsSearch.ts';
import { jobSearch } from './operations/jobSearch.ts';
import { financeSearch } from './operations/financeSearch.ts';
import { hotelSearch } from './operations/hotelSearch.ts';
import { immersiveProduct } from './operations/immersiveProduct.ts';
import { mapsSearch } from './operations/mapsSearch.ts';
import { mapsReviews } from './operations/mapsReviews.ts';
import { mapsPhotos } from './operations/mapsPhotos.ts';
import { mapsPosts } from './operations/mapsPosts.ts';
import { scholarSearch } from './operations/scholarSearch.ts';
import { scholarAuthor } from './operations/scholarAuthor.ts';
import { scholarProfiles } from './operations/scholarProfiles.ts';
import { patentDetails } from './operations/patentDetails.ts';

/** The operations, in the order of the service's own description. */
export type Operations = {
  readonly webSearch: typeof webSearch;
  readonly lightSearch: typeof lightSearch;
  readonly mobileSearch: typeof mobileSearch;
  readonly autocomplete: typeof autocomplete;
  readonly aiMode: typeof aiMode;
  readonly aiOverview: typeof aiOverview;
  readonly imageSearch: typeof imageSearch;
  readonly videoSearch: typeof videoSearch;
  readonly newsSearch: typeof newsSearch;
  readonly jobSearch: typeof jobSearch;
  readonly financeSearch: typeof financeSearch;
  readonly hotelSearch: typeof hotelSearch;
  readonly immersiveProduct: typeof immersiveProduct;
  readonly mapsSearch: typeof mapsSearch;
  readonly mapsReviews: typeof mapsReviews;
  readonly mapsPhotos: typeof mapsPhotos;
  readonly mapsPosts: typeof mapsPosts;
  readonly scholarSearch: typeof scholarSearch;
  readonly scholarAuthor: typeof scholarAuthor;
  readonly scholarProfiles: typeof scholarProfiles;
  readonly patentDetails: typeof patentDetails;
};
export const operations: Operations = {
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

export type OperationName = keyof Operations;
