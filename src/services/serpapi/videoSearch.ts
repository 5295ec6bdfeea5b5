import { madeOperation } from '../../contract/madeOperation.ts';
import { videoSearch as ours } from '../../search/operations/videoSearch.ts';
import { hasNext, ofDomain, sentToDomain, tens } from './shared.ts';

export const videoSearch = madeOperation({
  get: '/search.json',
  about: 'Videos.',
  query: { engine: 'google_videos', ...sentToDomain, tbs: '${result_time}', start: '${offset}' },
  params: { ...ofDomain, result_time: ours.params.result_time },
  response: {
    'video_results?': [
      {
        position: 'integer',
        title: 'string',
        link: 'string',
        'displayed_link?': 'string',
        'thumbnail?': 'string',
        'snippet?': 'string',
        'date?': 'string',
        'duration?': 'string',
        'video_link?': 'string',
      },
    ],
    ...hasNext,
  },
  rows: 'video_results',
  columns: { image: 'thumbnail', time: 'date', page_rank: 'position' },
  ...tens,
});
