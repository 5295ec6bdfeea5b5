import { expectTypeOf } from 'vitest';
import type { OtherText } from '../../src/contract/index.ts';
import type { WebResult, WebSearchData, WebSearchQuery } from '../../src/search/index.ts';

export const query: WebSearchQuery = {
  query: 'coffee',
  page: 1,
  html: true,
  language: 'en',
  lr: 'lang_en',
  domain: 'engine.example',
  country: 'us',
  cr: 'countryFR',
  uule: 'w+CAIQ',
  location: 'Paris',
  ludocid: '1',
  lsig: '1',
  kgmid: '/m/1',
  si: '1',
  ibp: '1',
  uds: '1',
  tbs: 'qdr:d',
  safe: 'active',
  nfpr: '1',
  filter: '0',
};
expectTypeOf<keyof WebSearchQuery>().toEqualTypeOf<keyof typeof query>();
expectTypeOf<WebSearchQuery['safe']>().toEqualTypeOf<'active' | 'off' | undefined>();
expectTypeOf<WebSearchQuery['page']>().toEqualTypeOf<number | undefined>();
// @ts-expect-error query is required
export const empty: WebSearchQuery = {};
// @ts-expect-error a misspelt name
export const misspelt: WebSearchQuery = { query: 'x', langauge: 'en' };
// @ts-expect-error a value that doesn't exist
export const unsafe: WebSearchQuery = { query: 'x', safe: 'on' };
// @ts-expect-error a text where a number belongs
export const text: WebSearchQuery = { query: 'x', page: '1' };

declare const data: WebSearchData;
expectTypeOf(data.search_information).toEqualTypeOf<{
  readonly time_taken: number;
  readonly total_results: number;
  readonly query_displayed: string;
  readonly spelling_fixed: string;
  readonly showing_results_for: string;
  readonly organic_results_state: string;
  readonly url: string;
}>();
expectTypeOf(data.knowledge_graph!.title).toEqualTypeOf<string>();
expectTypeOf(data.knowledge_graph!.founder_links).toEqualTypeOf<readonly { readonly text: string; readonly link: string }[] | undefined>();
expectTypeOf(data.knowledge_graph!.founder).toEqualTypeOf<unknown>();
expectTypeOf(data.local_results[0]!.reviews).toEqualTypeOf<string>();
expectTypeOf(data.local_results[0]!.links).toEqualTypeOf<{ readonly [field: string]: unknown }>();
expectTypeOf(data.ai_overview_url).toEqualTypeOf<string | undefined>();
const question = data.peopleAlsoAskedFor[0]!;
expectTypeOf(question.rank).toEqualTypeOf<number>();
expectTypeOf(question.references[0]!.snippet).toEqualTypeOf<string | undefined>();
const block = question.text_blocks[0]!;
expectTypeOf(block.type).toEqualTypeOf<'paragraph' | 'heading' | 'list' | OtherText>();
if (block.type === 'paragraph') expectTypeOf(block.snippet_highlighted_words).toEqualTypeOf<readonly string[]>();
if (block.type === 'heading') expectTypeOf(block.snippet).toEqualTypeOf<string>();
if (block.type === 'list') expectTypeOf(block.list[0]!.link).toEqualTypeOf<string | undefined>();
// @ts-expect-error only paragraphs have words that stand out
void block.snippet_highlighted_words;
// @ts-expect-error a field that isn't there
void data.search_informations;

// The rows aren't documented: each field may be absent.
expectTypeOf<WebResult['title']>().toEqualTypeOf<string | undefined>();
expectTypeOf<WebResult['rank']>().toEqualTypeOf<number | undefined>();
