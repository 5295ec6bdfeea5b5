import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { country, job, params, sent } from './shared.ts';

/** Rows may have more fields than these three. */
export const webSearch = madeOperation({
  get: '/google-search',
  about: 'Web pages.',
  query: { ...sent, region: '${country}', skip: '${offset}' },
  params: {
    ...params,
    country,
    uule: shared.uule,
    tbs: { ...shared.tbs, values: { 'qdr:h': 'h', 'qdr:d': 'd', 'qdr:w': 'w', 'qdr:m': 'm', 'qdr:y': 'y' } },
  },
  response: {
    'data?': [
      {
        'query?': 'string',
        organic_results: [{ link: 'string', title: 'string', 'description?': 'string|null' }],
        'related_questions?': 'array|null',
      },
    ],
    'status?': 'string',
  },
  rows: 'data.0.organic_results',
  columns: { snippet: 'description' },
  size: 10,
  job,
}); // prettier-ignore
