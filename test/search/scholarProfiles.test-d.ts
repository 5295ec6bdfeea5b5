import { expectTypeOf } from 'vitest';
import type { ScholarProfile, ScholarProfilesData, ScholarProfilesQuery } from '../../src/search/index.ts';

expectTypeOf<ScholarProfilesQuery>().toEqualTypeOf<{
  readonly mauthors: string;
  readonly after_author?: string | undefined;
  readonly before_author?: string | undefined;
}>();
// @ts-expect-error it has another name here
export const wrong: ScholarProfilesQuery = { query: 'curie' };
expectTypeOf<ScholarProfilesData>().toEqualTypeOf<{
  readonly profiles: readonly ScholarProfile[];
  readonly pagination: { readonly next_page_token: string | null; readonly previous_page_token: string | null };
}>();
expectTypeOf<ScholarProfile>().toEqualTypeOf<{
  readonly title: string;
  readonly link: string;
  readonly author_id: string;
  readonly affiliations: string;
  readonly email: string;
  readonly cited_by?: number | null;
  readonly thumbnail: string;
  readonly interests: readonly { readonly title: string; readonly link: string }[];
}>();
