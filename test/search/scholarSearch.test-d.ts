import { expectTypeOf } from 'vitest';
import type { ScholarResult, ScholarSearchData, ScholarSearchQuery } from '../../src/search/index.ts';

export const query: ScholarSearchQuery = {
  query: 'author:curie',
  html: false,
  cites: '1',
  as_ylo: '2001',
  as_yhi: '2002',
  scisbd: '1',
  cluster: '1',
  language: 'en',
  lr: 'lang_en',
  page: 0,
  results: 10,
  as_sdt: '4',
  safe: 'off',
  filter: '1',
  as_vis: '1',
  as_rr: '1',
};
expectTypeOf<keyof ScholarSearchQuery>().toEqualTypeOf<keyof typeof query>();
expectTypeOf<ScholarSearchQuery['as_vis']>().toEqualTypeOf<'0' | '1' | (string & {}) | undefined>();
// @ts-expect-error a number where a text belongs
export const wrong: ScholarSearchQuery = { query: 'x', as_ylo: 2001 };

expectTypeOf<ScholarResult>().toEqualTypeOf<{
  readonly title: string;
  readonly title_link: string;
  readonly id: string;
  readonly type?: string;
  readonly displayed_link: string;
  readonly snippet: string;
  readonly authors: readonly { readonly name: string; readonly link: string; readonly author_id: string }[];
  readonly inline_links: {
    readonly versions?: { readonly total: number | string; readonly link: string; readonly cluster_id: string };
    readonly cited_by: { readonly total: number | string; readonly link: string };
    readonly related_pages_link: string;
  };
  readonly resources?: readonly { readonly title: string; readonly type: string; readonly link: string }[];
}>();
declare const data: ScholarSearchData;
expectTypeOf(data.profiles).toEqualTypeOf<{ readonly [field: string]: unknown }>();
expectTypeOf(data.search_details.number_of_results).toEqualTypeOf<string>();
expectTypeOf(data.pagination.current).toEqualTypeOf<number>();
expectTypeOf(data.pagination.page_no['2']).toEqualTypeOf<string | undefined>();
