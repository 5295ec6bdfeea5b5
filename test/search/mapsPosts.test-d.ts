import { expectTypeOf } from 'vitest';
import type { MapsPost, MapsPostsData, MapsPostsQuery } from '../../src/search/index.ts';

expectTypeOf<MapsPostsQuery>().toEqualTypeOf<{ readonly data_id: string; readonly next_page_token?: string | undefined }>();
// @ts-expect-error language isn't a parameter here
export const wrong: MapsPostsQuery = { data_id: 'x', language: 'en' };
expectTypeOf<MapsPostsData>().toEqualTypeOf<{
  readonly location_details: { readonly name: string; readonly logo: string };
  readonly post_data: readonly MapsPost[];
  readonly next_page_token: string | null;
}>();
expectTypeOf<MapsPost>().toEqualTypeOf<{
  readonly description: string;
  readonly date: string;
  readonly image?: string;
  readonly link: string;
}>();
