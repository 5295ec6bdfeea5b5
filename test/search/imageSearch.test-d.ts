import { expectTypeOf } from 'vitest';
import type { ImageResult, ImageSearchData, ImageSearchQuery } from '../../src/search/index.ts';

export const query: ImageSearchQuery = {
  query: 'coffee',
  html: false,
  page: 0,
  domain: 'engine.example',
  country: 'us',
  cr: 'countryFR',
  language: 'en',
  lr: 'lang_en',
  uule: 'w',
  tbs: 'x',
  safe: 'off',
  nfpr: '0',
  filter: '1',
  period_unit: 'd',
  period_value: '2',
  start_date: '20260101',
  end_date: '20260131',
  chips: 'x',
  imgar: 'xw',
  imgsz: '70mp',
  image_color: 'teal',
  image_type: 'lineart',
  licenses: 'cl',
};
expectTypeOf<keyof ImageSearchQuery>().toEqualTypeOf<keyof typeof query>();
expectTypeOf<ImageSearchQuery['imgar']>().toEqualTypeOf<'s' | 't' | 'w' | 'xw' | undefined>();
expectTypeOf<ImageSearchQuery['licenses']>().toEqualTypeOf<'f' | 'fc' | 'cl' | undefined>();
expectTypeOf<ImageSearchQuery['period_unit']>().toEqualTypeOf<'s' | 'n' | 'h' | 'd' | 'w' | 'm' | 'y' | undefined>();
// @ts-expect-error a value that doesn't exist
export const wrong: ImageSearchQuery = { query: 'x', image_type: 'painting' };
// @ts-expect-error a number where a text belongs
export const number: ImageSearchQuery = { query: 'x', period_value: 2 };

expectTypeOf<ImageResult>().toEqualTypeOf<{
  readonly title: string;
  readonly image: string;
  readonly source: string;
  readonly original: string;
  readonly link: string;
  readonly original_height: number;
  readonly original_width: number;
  readonly original_size: string;
  readonly know_more_link: string;
  readonly rank: number;
  readonly is_product: boolean;
  readonly is_licensable: boolean;
  readonly is_video: boolean;
}>();
expectTypeOf<ImageSearchData['time_taken']>().toEqualTypeOf<number>();
expectTypeOf<ImageSearchData['ads']>().toEqualTypeOf<readonly unknown[]>();
