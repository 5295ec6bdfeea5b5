import { HttpError } from '../../src/errors/index.ts';
import type { FlowDefinition } from '../../src/flow/index.ts';
import type { Asked } from './fakeClient.ts';

/** A flow with all that can go wrong in a crash: walks, children, a row key, kept columns, two formats, a query that fails. */
export const smallFlow: FlowDefinition = {
  name: 'small',
  stages: {
    people: { call: 'scholarProfiles', with: { mauthors: ['ann', 'bob'] }, pages: 'all', by: 'author_id', to: 'people.jsonl' },
    reviews: {
      call: 'mapsReviews',
      each: 'people',
      with: { data_id: '$.author_id' },
      pages: 'all',
      keep: { person: '$.title' },
      to: ['reviews.jsonl', 'reviews.csv'],
    },
  },
};

/** What the service says to it: the people of both queries overlap, and one of them has no reviews to be had. */
export function smallResponse({ operation, query }: Asked, mended: boolean = false): unknown {
  if (operation === 'scholarProfiles') {
    const page = Number(query['after_author'] ?? 0);
    const first = query['mauthors'] === 'ann' ? 0 : 2;
    const profiles = [first + page, first + page + 1].map((id) => ({ author_id: `id${id}`, title: `Person ${id}`, interests: [] }));
    return { profiles, pagination: { next_page_token: page === 0 ? '1' : null } };
  }
  const page = Number(query['next_page_token'] ?? 0);
  if (query['data_id'] === 'id1' && page === 1 && !mended)
    throw new HttpError('mapsReviews: status 404', { operation, query, status: 404, attempts: 1 });
  const reviews_results = [0, 1].map((row) => ({
    review_id: `${String(query['data_id'])}/${page}/${row}`,
    rating: 5,
    snippet: 'sn"ip,\npet',
  }));
  return { reviews_results, ...(page === 0 ? { next_page_token: '1' } : {}) };
}

/** Pages and failures of an undisturbed run. */
export const smallRequests: number = 4 + 2 * 5;
