import { madeOperation } from '../../contract/Operation.ts';
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
    nextPageToken: '${next_page_token}',
  },
  params: {
    data_id: { type: 'string', required: true, from: 'mapsSearch', about: 'the place' },
    country: shared.country,
    language: shared.language,
    sort_by: {
      type: 'string',
      oneOf: ['mostRelevant', 'newest', 'highestRating', 'lowestRating'],
      default: 'mostRelevant',
      about: 'order: by relevance, or with the newest, highest rated or lowest rated first',
    },
    topic_id: { type: 'string', from: 'topics', about: 'only reviews of this topic' },
    next_page_token: shared.next_page_token,
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
  list: 'reviews',
  id: 'id',
  order: { param: 'sort_by', newest: 'newest', time: 'isoDate' },
  paging: { kind: 'cursor', param: 'next_page_token', at: ['nextPageToken'] },
});
