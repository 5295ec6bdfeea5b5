import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { head, page, params, sent, sentPage } from './shared.ts';

/** That it has pages is a guess: two programs that use it read only one. */
export const videoSearch = madeOperation({
  get: '/search',
  about: 'Videos.',
  query: { engine: 'google_videos', ...sent, ...sentPage },
  params: { ...params, ...page, location: shared.location },
  response: {
    ...head,
    'videos?': [
      {
        'position?': 'integer',
        title: 'string',
        link: 'string',
        'displayed_link?': 'string',
        'thumbnail?': 'string',
        'snippet?': 'string',
        'date?': 'string',
        'length?': 'string',
      },
    ],
  },
  rows: 'videos',
  ownPaging: { undocumented: true },
  columns: { image: 'thumbnail', time: 'date', page_rank: 'position' },
});
