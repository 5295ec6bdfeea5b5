import { madeOperation } from '../../contract/Operation.ts';
import { byPage, hasNext, ofDomain, sentTime, sentToDomain, time } from './shared.ts';

export const newsSearch = madeOperation({
  get: '/search',
  about: 'News articles.',
  query: { engine: 'google_news', ...sentToDomain, ...sentTime },
  params: {
    ...ofDomain,
    ...time,
    sort_by: { type: 'string', oneOf: ['relevance', 'most_recent'], default: 'relevance', about: 'what comes first' },
  },
  response: {
    'organic_results?': [
      {
        position: 'integer',
        title: 'string',
        link: 'string',
        'source?': 'string',
        'date?': 'string',
        'snippet?': 'string',
        'thumbnail?': 'string',
        'favicon?': 'string',
      },
    ],
    ...hasNext,
  },
  list: 'organic_results',
  columns: { icon: 'favicon', rank: 'position' },
  paging: byPage,
});
