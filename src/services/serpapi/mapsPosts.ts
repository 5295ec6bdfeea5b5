import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsPosts as ours } from '../../search/operations/mapsPosts.ts';
import { byToken, hasToken, sentToken, token } from './shared.ts';

/** The fields are those that two programs read. No response was available. */
export const mapsPosts = madeOperation({
  get: '/search.json',
  about: 'Posts of one business about itself.',
  query: { engine: 'google_maps_posts', ...sentToken },
  params: { data_id: ours.params.data_id, ...token },
  response: {
    'posts?': [
      {
        'position?': 'integer',
        'title?': 'string',
        'description?': 'string',
        'link?': 'string',
        'thumbnails?': ['string'],
        'source?': 'string',
        'source_logo?': 'string',
        'time?': 'string',
        'posted_at_text?': 'string: a date in words',
        'online_link?': 'string',
        'online_link_text?': 'string',
      },
    ],
    ...hasToken,
  },
  rows: 'posts',
  columns: { date: 'posted_at_text' },
  ...byToken,
});
