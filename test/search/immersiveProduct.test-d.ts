import { expectTypeOf } from 'vitest';
import type { ImmersiveProductData, ImmersiveProductQuery, ProductOption, Seller } from '../../src/search/index.ts';

expectTypeOf<ImmersiveProductQuery>().toEqualTypeOf<{
  readonly page_token: string;
  readonly stores?: boolean | undefined;
  readonly sori?: number | undefined;
  readonly country?: string | undefined;
  readonly language?: string | undefined;
}>();
// @ts-expect-error page_token is required
export const empty: ImmersiveProductQuery = { stores: true };

expectTypeOf<Seller>().toEqualTypeOf<{
  readonly name: string;
  readonly link: string;
  readonly favicon: string;
  readonly title: string;
  readonly ratings: string;
  readonly reviews: string;
  readonly payment_method: string;
  readonly extensions: readonly string[];
  readonly price: string;
  readonly original_price?: string;
  readonly delivery_fee: string;
  readonly tax: string;
  readonly total_price: string;
}>();
declare const data: ImmersiveProductData;
expectTypeOf(data.reviews).toEqualTypeOf<number | null>();
expectTypeOf(data.rating).toEqualTypeOf<string>();
expectTypeOf(data.thumbnails).toEqualTypeOf<readonly string[]>();
expectTypeOf(data.about_the_product.features[0]!).toEqualTypeOf<{ readonly title: string; readonly value: string }>();
expectTypeOf<ProductOption>().toEqualTypeOf<{
  readonly title: string;
  readonly thumbnail: string;
  readonly price: string;
  readonly previous_price?: string;
  readonly token: string;
}>();
