import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsReviews as ours } from '../../search/operations/mapsReviews.ts';
import { byToken, hasToken, sentToken, token } from './shared.ts';

const { data_id, language, sort_by, topic_id } = ours.params;

/** The first page always has 8 rows. */
export const mapsReviews = madeOperation({
  get: '/search.json',
  about: 'Reviews of one place.',
  query: { engine: 'google_maps_reviews', hl: '${language}', query: '${words}', ...sentToken },
  params: { data_id, language, sort_by, topic_id, words: { type: 'string', about: 'only reviews with these words' }, ...token },
  response: {
    'place_info?': { 'title?': 'string', 'address?': 'string', 'rating?': 'number', 'reviews?': 'integer', 'type?': 'string' },
    'topics?': [{ keyword: 'string', mentions: 'integer', id: 'string' }],
    'reviews?': [
      {
        'link?': 'string',
        rating: 'number',
        'date?': 'string: relative text',
        'iso_date?': 'string: ISO 8601',
        'iso_date_of_last_edit?': 'string: ISO 8601',
        'images?': ['string'],
        'source?': 'string',
        review_id: 'string',
        'user?': {
          'name?': 'string',
          'link?': 'string',
          'contributor_id?': 'string',
          'thumbnail?': 'string',
          'local_guide?': 'boolean',
          'reviews?': 'integer',
          'photos?': 'integer',
        },
        'snippet?': 'string: the text of the review',
        'details?': 'object',
        'likes?': 'integer',
        'response?': {
          'date?': 'string: relative text',
          'iso_date?': 'string: ISO 8601',
          'iso_date_of_last_edit?': 'string: ISO 8601',
          'snippet?': 'string',
        },
      },
    ],
    ...hasToken,
  },
  rows: 'reviews',
  columns: { 'response.response_from_owner_string': 'response.snippet' },
  id: 'review_id',
  time: ours.spec.time,
  order: ours.spec.order,
  ...byToken,
});
