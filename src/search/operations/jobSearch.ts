import { shared, tokenPaging } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { forms } from '../forms.ts';

const spec = {
  name: 'jobSearch',
  title: 'Job search',
  group: 'Jobs and finance',
  get: '/jobs/search',
  about: 'Job advertisements.',
  params: {
    query: { type: 'string', required: true, about: 'what to search for' },
    country: shared.country,
    language: shared.language,
    next_page_token: shared.next_page_token,
    chips: { type: 'string', from: 'an earlier response', about: 'filters such as type of job and date of posting' },
    lrad: { type: 'string', form: forms.number, about: 'radius of the search, in miles' },
    ltype: { type: 'string', known: ['1'], about: '1: only jobs that you can do from home' },
    uds: { type: 'string', from: 'an earlier response', about: 'filter string from the engine' },
    uule: shared.uule,
  },
  response: {
    jobs_results: [
      {
        title: 'string',
        company_name: 'string',
        location: 'string',
        via: 'string',
        share_link: 'string',
        thumbnail: 'string',
        detected_extensions: 'object',
        description: 'string: a long text',
        job_highlights: [{ title: 'string', items: ['string'] }],
        apply_options: [{ title: 'string', link: 'string' }],
        job_id: 'string',
        extensions: ['string'],
      },
    ],
  },
  rows: 'jobs_results',
  id: 'job_id',
  ...tokenPaging,
} as const;

export const jobSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type JobSearchQuery = QueryOf<typeof spec>;
export type JobSearchData = DataOf<typeof spec>;
export type Job = RowOf<typeof spec>;
