import { madeOperation } from '../../contract/madeOperation.ts';
import { jobSearch as ours } from '../../search/operations/jobSearch.ts';
import { shared } from '../../search/shared.ts';
import { byToken, hasToken, params, sentToDomain, sentToken, token } from './shared.ts';

/** An advertisement has no reliable id, so its address for sharing is used as one. */
export const jobSearch = madeOperation({
  get: '/search',
  about: 'Job advertisements.',
  query: { engine: 'google_jobs', ...sentToDomain, ...sentToken },
  params: { ...params, ...token, domain: shared.domain, location: shared.location, uule: shared.uule, chips: ours.params.chips },
  response: {
    'jobs?': [
      {
        title: 'string',
        'company_name?': 'string',
        'location?': 'string',
        'via?': 'string',
        'sharing_link?': 'string',
        'thumbnail?': 'string',
        'extensions?': ['string'],
        'detected_extensions?': 'object',
        'description?': 'string: a long text',
        'job_highlights?': [{ 'title?': 'string', items: ['string'] }],
        'apply_link?': 'string',
        'apply_links?': [{ link: 'string', 'source?': 'string' }],
      },
    ],
    ...hasToken,
  },
  rows: 'jobs',
  columns: { job_id: 'sharing_link', share_link: 'sharing_link', apply_options: 'apply_links' },
  id: 'job_id',
  ...byToken,
});
