import type { Operation } from './contract/Operation.ts';
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
/** Any of the operations, for code that treats them alike. */
export type AnyOperation = Operation;
