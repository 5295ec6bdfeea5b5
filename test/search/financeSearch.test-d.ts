import { expectTypeOf } from 'vitest';
import type { FinanceSearchData, FinanceSearchQuery } from '../../src/search/index.ts';

expectTypeOf<FinanceSearchQuery>().toEqualTypeOf<{
  readonly query: string;
  readonly html?: boolean | undefined;
  readonly language?: string | undefined;
}>();
// @ts-expect-error a text where true or false belongs
export const wrong: FinanceSearchQuery = { query: 'x', html: 'true' };

declare const data: FinanceSearchData;
expectTypeOf<keyof FinanceSearchData['markets']>().toEqualTypeOf<'US' | 'Europe' | 'Asia' | 'Currencies' | 'Crypto' | 'Futures'>();
expectTypeOf(data.markets.US[0]!).toEqualTypeOf<{
  readonly stock: string;
  readonly link: string;
  readonly name: string;
  readonly price: string;
  readonly price_movement: { readonly percentage: string; readonly value: string; readonly movement: 'up' | 'down' };
}>();
expectTypeOf(data.summary).toEqualTypeOf<{
  readonly title: string;
  readonly stock: string;
  readonly price: string;
  readonly extracted_price: number | null;
  readonly price_movement: { readonly percentage: number | null; readonly value: number; readonly movement: string };
  readonly extensions: readonly unknown[];
}>();
expectTypeOf(data.knowledge_graph!.key_stats.tags).toEqualTypeOf<unknown>();
expectTypeOf(data.financials).toEqualTypeOf<{ readonly quarterly: readonly unknown[]; readonly annually: readonly unknown[] }>();
expectTypeOf(data.discover_more[0]!.items[0]!).toEqualTypeOf<{
  readonly stock: string;
  readonly name: string;
  readonly link: string;
  readonly price: number;
  readonly price_movement: { readonly percentage: number; readonly movement: 'up' | 'down' };
}>();
// @ts-expect-error it may be null
export const price: number = data.summary.extracted_price;
