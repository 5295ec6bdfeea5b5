import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsReviews as ours } from '../../search/operations/mapsReviews.ts';
import { shared } from '../../search/shared.ts';

export const mapsReviews = madeOperation({
  post: '/reviews',
  about: 'Reviews of one place.',
  body: {
    fid: '${data_id}',
    gl: '${country}',
    hl: '${language}',
    sortBy: '${sort_by}',
    topicId: '${topic_id}',
    nextPageToken: '${cursor}',
  },
  params: {
    data_id: ours.params.data_id,
    country: shared.country,
    language: shared.language,
    sort_by: {
      ...ours.params.sort_by,
      values: { qualityScore: 'mostRelevant', newestFirst: 'newest', ratingHigh: 'highestRating', ratingLow: 'lowestRating' },
    },
    topic_id: ours.params.topic_id,
  },
  response: {
    'reviews?': [
      {
        rating: 'number',
        'date?': 'string: relative text',
        'isoDate?': 'string: ISO 8601',
        'snippet?': 'string: the text of the review',
        'likes?': 'integer',
        user: { name: 'string', 'thumbnail?': 'string', 'link?': 'string', 'reviews?': 'integer', 'photos?': 'integer' },
        'response?': { 'date?': 'string: relative text', 'isoDate?': 'string: ISO 8601', 'snippet?': 'string' },
        'media?': [{ type: 'string', 'imageUrl?': 'string' }],
        'id?': 'string',
        'link?': 'string',
      },
    ],
    'topics?': [{ name: 'string', reviews: 'integer', id: 'string' }],
    'nextPageToken?': 'string',
    'credits?': 'integer',
  },
  rows: 'reviews',
  columns: {
    review_id: 'id',
    iso_date: 'isoDate',
    'response.iso_date': 'response.isoDate',
    'response.response_from_owner_string': 'response.snippet',
  },
  id: 'review_id',
  time: ours.spec.time,
  order: ours.spec.order,
  next: 'nextPageToken',
});
