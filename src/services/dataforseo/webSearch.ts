import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { depth, params, ranks, rating, resultOf, task } from './shared.ts';

/** What the pages of a desktop and of a phone have. */
export const web = {
  post: '/serp/google/organic/live/advanced',
  params: { ...params, domain: shared.domain, ...depth(10, 200) },
  response: {
    ...resultOf({
      'title?': 'string|null',
      'url?': 'string|null',
      'domain?': 'string|null',
      'breadcrumb?': 'string|null',
      'website_name?': 'string|null',
      'description?': 'string|null',
      'timestamp?': 'string|null',
      'rating?': rating,
    }),
    'se_results_count?': 'integer|null',
  },
  rows: 'items[type=organic]',
  columns: { ...ranks, link: 'url', displayed_link: 'breadcrumb', snippet: 'description', date: 'timestamp' },
} as const;
export const webTask = { ...task, se_domain: '${domain}', depth: '${depth}' } as const;

export const webSearch = madeOperation({ ...web, about: 'Web pages.', body: [webTask] });
