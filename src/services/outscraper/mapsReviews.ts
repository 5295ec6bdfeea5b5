import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsReviews as ours } from '../../search/operations/mapsReviews.ts';
import { country, job, params, place, sent } from './shared.ts';

/** The response leaves out a place without reviews. */
export const mapsReviews = madeOperation({
  get: '/google-maps-reviews',
  about: 'Reviews of one place.',
  query: {
    ...sent,
    query: '${data_id}',
    region: '${country}',
    sort: '${sort_by}',
    reviewsQuery: '${words}',
    reviewsLimit: 100,
    lastPaginationId: '${last.review_pagination_id}',
  },
  params: {
    data_id: ours.params.data_id,
    language: params.language,
    country,
    sort_by: {
      ...ours.params.sort_by,
      values: { qualityScore: 'most_relevant', newestFirst: 'newest', ratingHigh: 'highest_rating', ratingLow: 'lowest_rating' },
    },
    words: { type: 'string', about: 'only reviews with these words' },
  },
  response: {
    'data?': [
      {
        ...place,
        reviews_data: [
          {
            review_id: 'string',
            review_pagination_id: 'string',
            'author_link?': 'string|null',
            'author_title?': 'string|null',
            'author_id?': 'string|null',
            'author_image?': 'string|null',
            'author_reviews_count?': 'integer|null',
            'author_ratings_count?': 'integer|null',
            'review_text?': 'string|null',
            'review_img_urls?': 'array|null',
            'review_questions?': 'object|null',
            'owner_answer?': 'string|null',
            'owner_answer_timestamp?': 'integer|null',
            'review_link?': 'string|null',
            'review_rating?': 'integer|null',
            'review_timestamp?': 'integer|null',
            'review_datetime_utc?': 'string|null: such as 06/16/2019 13:35:28',
            'review_likes?': 'integer|null',
          },
        ],
      },
    ],
    'status?': 'string',
  },
  rows: 'data.0.reviews_data',
  columns: {
    rating: 'review_rating',
    snippet: 'review_text',
    date: 'review_datetime_utc',
    iso_date: 'review_timestamp',
    likes: 'review_likes',
    link: 'review_link',
    'user.name': 'author_title',
    'user.link': 'author_link',
    'user.contributor_id': 'author_id',
    'user.thumbnail': 'author_image',
    'user.reviews': 'author_reviews_count',
    images: 'review_img_urls',
    'response.response_from_owner_string': 'owner_answer',
    'response.iso_date': 'owner_answer_timestamp',
  },
  id: 'review_id',
  time: 'iso_date',
  order: ours.spec.order,
  job,
});
