import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsReviews as ours } from '../../search/operations/mapsReviews.ts';
import { byToken, hasToken, metadata, sentToken } from './shared.ts';

const { data_id, language, sort_by, topic_id } = ours.params;

export const mapsReviews = madeOperation({
  get: '/scrape/google-maps/reviews',
  about: 'Reviews of one place.',
  query: { dataId: '${data_id}', hl: '${language}', sortBy: '${sort_by}', topicId: '${topic_id}', ...sentToken },
  // the vendor's command calls the usual order qualityScore, as ours does, but one of its pages says mostRelevant
  params: { data_id, language, sort_by, topic_id },
  response: {
    ...metadata,
    'placeInfo?': { 'title?': 'string', 'address?': 'string', 'rating?': 'number', 'reviews?': 'integer' },
    'topics?': [{ keyword: 'string', mentions: 'integer', id: 'string' }],
    'reviews?': [
      {
        reviewId: 'string',
        rating: 'integer',
        'snippet?': 'string: the text of the review',
        'date?': 'string: relative text',
        'isoDate?': 'string: ISO 8601',
        'link?': 'string',
        'images?': ['string'],
        'likes?': 'integer',
        'user?': {
          'name?': 'string',
          'link?': 'string',
          'thumbnail?': 'string',
          'contributorId?': 'string',
          'localGuide?': 'boolean',
          'reviews?': 'integer',
          'photos?': 'integer',
        },
        'response?': { 'date?': 'string: relative text', 'isoDate?': 'string: ISO 8601', 'snippet?': 'string' },
      },
    ],
    ...hasToken,
  },
  rows: 'reviews',
  columns: {
    review_id: 'reviewId',
    iso_date: 'isoDate',
    'user.contributor_id': 'user.contributorId',
    'user.local_guide': 'user.localGuide',
    'response.iso_date': 'response.isoDate',
    'response.response_from_owner_string': 'response.snippet',
  },
  id: 'review_id',
  time: ours.spec.time,
  order: ours.spec.order,
  total: 'placeInfo.reviews',
  ownPaging: { unless: ['topic_id'] },
  ...byToken,
});
