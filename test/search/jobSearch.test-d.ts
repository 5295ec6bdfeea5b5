import { expectTypeOf } from 'vitest';
import type { Job, JobSearchQuery } from '../../src/search/index.ts';

expectTypeOf<JobSearchQuery>().toEqualTypeOf<{
  readonly query: string;
  readonly country?: string | undefined;
  readonly language?: string | undefined;
  readonly next_page_token?: string | undefined;
  readonly chips?: string | undefined;
  readonly lrad?: string | undefined;
  readonly ltype?: '1' | (string & {}) | undefined;
  readonly uds?: string | undefined;
  readonly uule?: string | undefined;
}>();
// Other values may exist.
export const other: JobSearchQuery = { query: 'x', ltype: '2' };

expectTypeOf<Job>().toEqualTypeOf<{
  readonly title: string;
  readonly company_name: string;
  readonly location: string;
  readonly via: string;
  readonly share_link: string;
  readonly thumbnail: string;
  readonly detected_extensions: { readonly [field: string]: unknown };
  readonly description: string;
  readonly job_highlights: readonly { readonly title: string; readonly items: readonly string[] }[];
  readonly apply_options: readonly { readonly title: string; readonly link: string }[];
  readonly job_id: string;
  readonly extensions: readonly string[];
}>();
