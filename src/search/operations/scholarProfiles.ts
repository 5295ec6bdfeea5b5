import { type DataOf, type Operation, type QueryOf, type RowOf, madeOperation } from '../../contract/Operation.ts';

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
  list: 'profiles',
  id: 'author_id',
  paging: {
    kind: 'cursor',
    param: 'after_author',
    at: ['pagination.next_page_token', 'next_page_token', 'pagination.next'],
    undocumented: true,
    alone: ['mauthors'],
  },
} as const;

export const scholarProfiles: Operation<typeof spec> = madeOperation(spec);
export type ScholarProfilesQuery = QueryOf<typeof spec>;
export type ScholarProfilesData = DataOf<typeof spec>;
export type ScholarProfile = RowOf<typeof spec>;
