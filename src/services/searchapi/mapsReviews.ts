import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsReviews as ours } from '../../search/operations/mapsReviews.ts';
import { shared } from '../../search/shared.ts';
import { byToken, hasToken, token } from './shared.ts';

const { data_id, language, sort_by, topic_id } = ours.params;

/** It is a POST because tokens grow too long for an address. That reviews have ids and times is a guess. */
export const mapsReviews = madeOperation({
  post: '/search',
  about: 'Reviews of one place.',
  body: {
    engine: 'google_maps_reviews',
    data_id: '${data_id}',
    gl: '${country}',
    hl: '${language}',
    sort_by: '${sort_by}',
    topic_id: '${topic_id}',
    num: 20,
    next_page_token: '${cursor}',
  },
  params: {
    data_id,
    country: shared.country,
    language,
    sort_by: {
      ...sort_by,
      values: { qualityScore: 'most_relevant', newestFirst: 'newest', ratingHigh: 'highest_rating', ratingLow: 'lowest_rating' },
    },
    topic_id,
    ...token,
  },
  response: {
    'topics?': [{ keyword: 'string', 'reviews?': 'integer', 'id?': 'string' }],
    'reviews?': [
      {
        'review_id?': 'string',
        'link?': 'string',
        rating: 'number',
        'date?': 'string: relative text',
        'iso_date?': 'string: ISO 8601',
        'text?': 'string: the text of the review',
        'snippet?': 'string: the text of the review',
        'images?': 'array',
        'likes?': 'integer',
        'user?': {
          'name?': 'string',
          'link?': 'string',
          'thumbnail?': 'string',
          'is_local_guide?': 'boolean',
          'reviews?': 'integer',
          'photos?': 'integer',
        },
        'response?': 'object',
      },
    ],
    ...hasToken,
  },
  rows: 'reviews',
  columns: { snippet: 'text', 'user.local_guide': 'user.is_local_guide' },
  id: 'review_id',
  time: ours.spec.time,
  order: ours.spec.order,
  ...byToken,
});
