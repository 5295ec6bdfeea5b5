import { expectTypeOf } from 'vitest';
import type { NewsArticle, NewsResult, NewsSearchData, NewsSearchQuery } from '../../src/search/index.ts';

expectTypeOf<NewsSearchQuery>().toEqualTypeOf<{
  readonly query: string;
  readonly country?: string | undefined;
  readonly language?: string | undefined;
  readonly topic_token?: string | undefined;
  readonly publication_token?: string | undefined;
  readonly section_token?: string | undefined;
  readonly so?: '0' | '1' | (string & {}) | undefined;
}>();
// @ts-expect-error the interface names it, but not as a parameter
export const wrong: NewsSearchQuery = { query: 'x', story_token: 'y' };

declare const result: NewsResult;
if ('stories' in result) {
  expectTypeOf(result).toEqualTypeOf<{ readonly title: string; readonly stories: readonly NewsArticle[] }>();
} else {
  expectTypeOf(result).toEqualTypeOf<NewsArticle>();
}
expectTypeOf<NewsArticle>().toEqualTypeOf<{
  readonly title: string;
  readonly link: string;
  readonly thumbnail: string;
  readonly source: string;
  readonly icon: string;
  readonly authors: readonly string[];
  readonly date: string;
  readonly rank: number;
}>();
// @ts-expect-error a story has no link of its own
void result.link;
expectTypeOf<NewsSearchData['menu_links'][number]>().toEqualTypeOf<{ readonly title: string; readonly topic_token: string }>();
