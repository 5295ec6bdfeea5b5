import { madeOperation } from '../../contract/madeOperation.ts';
import { byPage, hasNext, ofDomain, sentPage, sentTime, sentToDomain, time } from './shared.ts';

export const newsSearch = madeOperation({
  get: '/search',
  about: 'News articles.',
  query: { engine: 'google_news', ...sentToDomain, ...sentTime, ...sentPage },
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
  rows: 'organic_results',
  columns: { icon: 'favicon', rank: 'position' },
  ...byPage,
});
