import { shared, tokenPaging } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowAt, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'mapsReviews',
  title: 'Maps reviews',
  group: 'Maps',
  get: '/maps/reviews',
  about: 'Reviews of one place.',
  params: {
    data_id: { type: 'string', required: true, from: 'mapsSearch', about: 'the place' },
    language: shared.language,
    sort_by: {
      type: 'string',
      oneOf: ['qualityScore', 'newestFirst', 'ratingHigh', 'ratingLow'],
      default: 'qualityScore',
      about: 'order: by relevance, or with the newest, highest rated or lowest rated first',
    },
    topic_id: { type: 'string', from: 'topics', about: 'only reviews of this topic' },
    next_page_token: shared.next_page_token,
    results: { type: 'integer', min: 1, max: 20, default: 10, about: 'reviews per page' },
  },
  response: {
    locationDetails: { address: 'string', rating: 'number|null', reviews: 'integer|null' },
    topics: [{ keyword: 'string', mentions: 'integer', id: 'string' }],
    reviews_results: [
      {
        link: 'string',
        rating: 'integer',
        'likes?': 'integer|null',
        date: 'string: relative text',
        iso_date: 'string: ISO 8601',
        iso_date_of_last_edit: 'string: ISO 8601',
        images: ['string: URL'],
        source: 'string',
        review_id: 'string',
        snippet: 'string: the text of the review',
        user: {
          name: 'string',
          link: 'string',
          contributor_id: 'string',
          thumbnail: 'string',
          local_guide: 'boolean',
          reviews: 'integer',
          photos: 'integer',
        },
        'details?': {
          'price_per_person?': 'string',
          'meal_type?': 'string',
          'noise_level?': 'string',
          'group_size?': 'string',
          'wait_time?': 'string',
          'food?': 'integer',
          'service?': 'integer',
          'atmosphere?': 'integer',
        },
        'response?': {
          iso_date: 'string: ISO 8601',
          iso_date_of_last_edit: 'string: ISO 8601',
          date: 'string: relative text',
          response_from_owner_string: 'string',
        },
      },
    ],
  },
  rows: 'reviews_results',
  total: 'locationDetails.reviews',
  id: 'review_id',
  time: 'iso_date',
  order: { sort_by: 'newestFirst' },
  ...tokenPaging,
  ownPaging: { undocumented: true, unless: ['topic_id'] },
} as const;

export const mapsReviews: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type MapsReviewsQuery = QueryOf<typeof spec>;
export type MapsReviewsData = DataOf<typeof spec>;
export type MapsReview = RowOf<typeof spec>;
export type ReviewTopic = RowAt<MapsReviewsData, 'topics'>;
