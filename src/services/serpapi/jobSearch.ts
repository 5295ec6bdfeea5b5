import { madeOperation } from '../../contract/madeOperation.ts';
import { jobSearch as ours } from '../../search/operations/jobSearch.ts';
import { shared } from '../../search/shared.ts';
import { byToken, hasToken, sentToken, params, sentToDomain, token } from './shared.ts';

export const jobSearch = madeOperation({
  get: '/search.json',
  about: 'Job advertisements.',
  query: { engine: 'google_jobs', ...sentToDomain, lrad: '${radius_km}', ...sentToken },
  params: {
    ...params,
    domain: shared.domain,
    location: shared.location,
    uule: shared.uule,
    chips: ours.params.chips,
    // Not `lrad`, which other vendors count in miles.
    radius_km: { type: 'number', min: 0, about: 'radius of the search, in kilometres' },
    ltype: { type: 'string', oneOf: ours.params.ltype.known, about: ours.params.ltype.about },
    uds: shared.uds,
    ...token,
  },
  response: {
    'jobs_results?': [
      {
        title: 'string',
        'company_name?': 'string',
        'location?': 'string',
        'via?': 'string',
        'share_link?': 'string',
        'source_link?': 'string',
        'thumbnail?': 'string',
        'extensions?': ['string'],
        'detected_extensions?': 'object',
        'description?': 'string: a long text',
        'job_highlights?': [{ 'title?': 'string', items: ['string'] }],
        'apply_options?': [{ title: 'string', link: 'string' }],
        job_id: 'string',
      },
    ],
    ...hasToken,
  },
  rows: 'jobs_results',
  id: 'job_id',
  ...byToken,
});
