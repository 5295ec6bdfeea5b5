import { expectTypeOf } from 'vitest';
import type { LightResult, LightSearchData, LightSearchQuery, WebSearchQuery } from '../../src/search/index.ts';

expectTypeOf<LightSearchQuery>().toEqualTypeOf<WebSearchQuery>();
// @ts-expect-error a misspelt name
export const misspelt: LightSearchQuery = { query: 'x', nfpt: '1' };
// Other values may exist.
export const other: LightSearchQuery = { query: 'x', nfpr: '2' };

expectTypeOf<LightResult>().toEqualTypeOf<{
  readonly title: string;
  readonly displayed_link: string;
  readonly snippet: string;
  readonly date: string;
  readonly missing: readonly unknown[];
  readonly link: string;
  readonly favicon: string;
  readonly rank: number;
  readonly page_rank: number;
}>();
declare const data: LightSearchData;
expectTypeOf(data.search_information.query_displayed).toEqualTypeOf<string>();
expectTypeOf(data.menu_items[0]!.position).toEqualTypeOf<number>();
expectTypeOf(data.local_results[0]!.description).toEqualTypeOf<string>();
expectTypeOf(data.peopleAlsoAskedFor).toEqualTypeOf<readonly unknown[]>();
expectTypeOf(data.relatedSearches[0]!).toEqualTypeOf<{ readonly query: string; readonly link: string }>();
expectTypeOf(data.pagination.page_no).toEqualTypeOf<{ readonly [field: string]: unknown }>();
// @ts-expect-error web search alone has a knowledge panel
void data.knowledge_graph;
