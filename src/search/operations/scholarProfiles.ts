import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'scholarProfiles',
  title: 'Author profile search',
  group: 'Scholarly',
  get: '/scholar/profiles',
  about: 'Authors by name or institution.',
  params: {
    mauthors: { type: 'string', required: true, about: 'a name or an institution' },
    after_author: { type: 'string', from: 'an earlier page', about: 'token of the next page' },
    before_author: { type: 'string', from: 'an earlier page', about: 'token of the previous page' },
  },
  response: {
    profiles: [
      {
        title: 'string',
        link: 'string',
        author_id: 'string',
        affiliations: 'string',
        email: 'string: where the address was verified',
        'cited_by?': 'integer|null',
        thumbnail: 'string',
        interests: [{ title: 'string', link: 'string' }],
      },
    ],
    pagination: {
      next_page_token: 'string|null: null on the last page',
      previous_page_token: 'string|null: null on the first page',
    },
  },
  rows: 'profiles',
  id: 'author_id',
  query: { after_author: '${cursor}' },
  next: ['pagination.next_page_token', 'next_page_token', 'pagination.next'],
  alone: ['mauthors'],
  ownPaging: { undocumented: true },
} as const;

export const scholarProfiles: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type ScholarProfilesQuery = QueryOf<typeof spec>;
export type ScholarProfilesData = DataOf<typeof spec>;
export type ScholarProfile = RowOf<typeof spec>;
