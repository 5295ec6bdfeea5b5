export * from '../operators/index.ts';
export { readyFanOut, type FanOutFactory, type ReadyFanOutOptions } from './fanouts/readyFanOut.ts';
export type { ChildPagesOptions, ChildWalkOptions } from './fanouts/ChildPagesOptions.ts';
export {
  aiOverviews,
  authorCitations,
  authorProfiles,
  citingWorks,
  hotelDetails,
  localPlaces,
  newsTopics,
  photosByCategory,
  placePhotos,
  placePosts,
  placeReviews,
  productOptions,
  reviewsByTopic,
  workVersions,
  type AiOverviewsOptions,
  type CitationQuery,
  type CitedWork,
  type HasAuthorId,
  type HasAuthors,
  type HasDataId,
  type HotelDetailsOptions,
  type OverviewSource,
} from './search/readyFanOuts.ts';
