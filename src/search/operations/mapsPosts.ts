import { shared, tokenPaging } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'mapsPosts',
  title: 'Maps posts',
  group: 'Maps',
  get: '/maps/posts',
  about: 'Posts of one business about itself.',
  params: {
    data_id: { type: 'string', required: true, from: 'mapsSearch', about: 'the place' },
    next_page_token: shared.next_page_token,
  },
  response: {
    location_details: { name: 'string', logo: 'string' },
    post_data: [{ description: 'string', date: 'string: a date in words', 'image?': 'string: URL', link: 'string' }],
    next_page_token: 'string|null: null or empty on the last page',
  },
  rows: 'post_data',
  ...tokenPaging,
} as const;

export const mapsPosts: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type MapsPostsQuery = QueryOf<typeof spec>;
export type MapsPostsData = DataOf<typeof spec>;
export type MapsPost = RowOf<typeof spec>;
