import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsReviews as ours } from '../../search/operations/mapsReviews.ts';
import { job } from './codes.ts';
import { country, depth, item, language, rating, result, spoken } from './shared.ts';

/** It knows a place by `cid` or `place_id`, and not by ours. The type of its rows is a guess. */
export const mapsReviews = madeOperation({
  post: '/business_data/google/reviews/task_post',
  about: 'Reviews of one place.',
  body: [{ cid: '${data_cid}', place_id: '${place_id}', ...spoken, sort_by: '${sort_by}', depth: '${depth}', priority: '${priority}' }],
  params: {
    data_cid: { type: 'string', from: 'mapsSearch', about: 'the place, by its number' },
    place_id: { type: 'string', from: 'mapsSearch', about: 'the place, where its number is not given' },
    country,
    language,
    sort_by: {
      ...ours.params.sort_by,
      values: { qualityScore: 'relevant', newestFirst: 'newest', ratingHigh: 'highest_rating', ratingLow: 'lowest_rating' },
    },
    ...depth(10, 4490),
    priority: { type: 'integer', min: 1, max: 2, default: 1, about: '2 is sooner, and costs twice as much' },
  },
  response: {
    ...result,
    'title?': 'string|null',
    'rating?': rating,
    'feature_id?': 'string|null',
    'place_id?': 'string|null',
    'cid?': 'string|null',
    'reviews_count?': 'integer|null',
    items: {
      $nullable: [
        {
          ...item,
          review_id: 'string',
          'review_text?': 'string|null',
          'original_review_text?': 'string|null',
          'original_language?': 'string|null',
          'time_ago?': 'string|null: relative text',
          'timestamp?': 'string|null',
          'rating?': rating,
          'reviews_count?': 'integer|null',
          'photos_count?': 'integer|null',
          'local_guide?': 'boolean|null',
          'profile_name?': 'string|null',
          'profile_url?': 'string|null',
          'profile_image_url?': 'string|null',
          'review_url?': 'string|null',
          'owner_answer?': 'string|null',
          'owner_time_ago?': 'string|null',
          'owner_timestamp?': 'string|null',
          'images?': 'array|null',
          'review_highlights?': 'array|null',
        },
      ],
    },
  },
  rows: 'items',
  columns: {
    snippet: 'review_text',
    date: 'time_ago',
    iso_date: 'timestamp',
    rating: 'rating.value',
    'user.name': 'profile_name',
    'user.link': 'profile_url',
    'user.thumbnail': 'profile_image_url',
    'user.reviews': 'reviews_count',
    'user.photos': 'photos_count',
    'user.local_guide': 'local_guide',
    link: 'review_url',
    'response.response_from_owner_string': 'owner_answer',
    'response.date': 'owner_time_ago',
    'response.iso_date': 'owner_timestamp',
  },
  id: 'review_id',
  time: ours.spec.time,
  order: ours.spec.order,
  job: job('/business_data/google/reviews/task_get/${id}'),
});
