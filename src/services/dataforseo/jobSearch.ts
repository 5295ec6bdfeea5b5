import { madeOperation } from '../../contract/madeOperation.ts';
import { job } from './codes.ts';
import { depth, params, resultOf, task } from './shared.ts';

/** It has a list of countries of its own. */
export const jobSearch = madeOperation({
  post: '/serp/google/jobs/task_post',
  about: 'Job advertisements.',
  body: [{ ...task, location_radius: '${location_radius}', depth: '${depth}' }],
  params: {
    ...params,
    // Not `lrad`, which other vendors count in miles.
    location_radius: { type: 'number', min: 0, max: 300, about: 'radius of the search, in kilometres' },
    ...depth(10, 200),
  },
  response: resultOf({
    job_id: 'string',
    'title?': 'string|null',
    'employer_name?': 'string|null',
    'employer_url?': 'string|null',
    'employer_image_url?': 'string|null',
    'location?': 'string|null',
    'source_name?': 'string|null',
    'source_url?': 'string|null',
    'salary?': 'string|null',
    'contract_type?': 'string|null',
    'timestamp?': 'string|null',
    'time_ago?': 'string|null: relative text',
  }),
  rows: 'items[type=google_jobs_item]',
  columns: { company_name: 'employer_name', thumbnail: 'employer_image_url', via: 'source_name', share_link: 'source_url' },
  id: 'job_id',
  job: job('/serp/google/jobs/task_get/advanced/${id}'),
});
