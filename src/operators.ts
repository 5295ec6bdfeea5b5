export * from '../operators/index.ts';
export {
  answerBlocks,
  answerCitations,
  answerSources,
  type AnswerBlock,
  type AnswerCitation,
  type AnswerSource,
} from './contract/answerTables.ts';
export type { AnswerSpec } from './contract/SearchWords.ts';
export {
  readyFanOut,
  type FanOutFactory,
  type ReadyFanOutOptions,
  type ChildPagesOptions,
  type ChildWalkOptions,
} from './fanouts/readyFanOut.ts';
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
