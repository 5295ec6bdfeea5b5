import { expectTypeOf } from 'vitest';
import type { MapsPhoto, MapsPhotosQuery, PhotoCategory } from '../../src/search/index.ts';

expectTypeOf<MapsPhotosQuery>().toEqualTypeOf<{
  readonly data_id: string;
  readonly language?: string | undefined;
  readonly category_id?: string | undefined;
  readonly next_page_token?: string | undefined;
}>();
// @ts-expect-error categories are chosen by id
export const wrong: MapsPhotosQuery = { data_id: 'x', category: 'y' };
expectTypeOf<MapsPhoto>().toEqualTypeOf<{ readonly thumbnail: string; readonly image: string }>();
expectTypeOf<PhotoCategory>().toEqualTypeOf<{ readonly name: string; readonly id: string }>();
