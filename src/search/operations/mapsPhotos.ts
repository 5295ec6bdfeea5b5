import { shared, tokenPaging } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowAt, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'mapsPhotos',
  title: 'Maps photos',
  group: 'Maps',
  get: '/maps/photos',
  about: 'Photos of one place.',
  params: {
    data_id: { type: 'string', required: true, from: 'mapsSearch', about: 'the place' },
    language: shared.language,
    category_id: { type: 'string', from: 'categories', about: 'only photos of this category' },
    next_page_token: shared.next_page_token,
  },
  response: {
    categories: [{ name: 'string', id: 'string' }],
    photos: [{ thumbnail: 'string: URL', image: 'string: URL' }],
  },
  rows: 'photos',
  ...tokenPaging,
} as const;

export const mapsPhotos: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type MapsPhotosQuery = QueryOf<typeof spec>;
export type MapsPhotosData = DataOf<typeof spec>;
export type MapsPhoto = RowOf<typeof spec>;
export type PhotoCategory = RowAt<MapsPhotosData, 'categories'>;
