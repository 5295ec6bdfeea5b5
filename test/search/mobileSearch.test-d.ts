import { expectTypeOf } from 'vitest';
import type { MobileLocalResult, MobileResult, MobileSearchData, MobileSearchQuery, WebSearchQuery } from '../../src/search/index.ts';

expectTypeOf<MobileSearchQuery>().toEqualTypeOf<WebSearchQuery>();
// @ts-expect-error query is required
export const empty: MobileSearchQuery = { page: 1 };
// Other values may exist.
export const other: MobileSearchQuery = { query: 'x', filter: '2' };

declare const entry: MobileLocalResult;
if ('more_locations_link' in entry) {
  expectTypeOf(entry).toEqualTypeOf<{ readonly more_locations_link: string }>();
} else {
  expectTypeOf(entry).toEqualTypeOf<{
    readonly position: number;
    readonly title: string;
    readonly rating: string;
    readonly reviews: string;
    readonly extensions: readonly string[];
    readonly address: string;
    readonly hours: string;
    readonly links: { readonly [field: string]: unknown };
  }>();
}
// @ts-expect-error the last entry may be a link only
void entry.title;
expectTypeOf<MobileSearchData['peopleAlsoAskedFor']>().toEqualTypeOf<readonly unknown[]>();
expectTypeOf<MobileSearchData['organic_results']>().toEqualTypeOf<readonly MobileResult[]>();
expectTypeOf<MobileResult['link']>().toEqualTypeOf<string | undefined>();
