import { expectTypeOf } from 'vitest';
import type { VideoResult, VideoSearchData, VideoSearchQuery } from '../../src/search/index.ts';

expectTypeOf<keyof VideoSearchQuery>().toEqualTypeOf<
  'query' | 'page' | 'html' | 'country' | 'domain' | 'language' | 'lr' | 'uule' | 'tbs' | 'safe' | 'nfpr' | 'result_time'
>();
export const other: VideoSearchQuery = { query: 'x', result_time: 'qdr:m' };
// @ts-expect-error cr isn't a parameter here
export const wrong: VideoSearchQuery = { query: 'x', cr: 'countryFR' };

expectTypeOf<VideoResult>().toEqualTypeOf<{
  readonly title: string;
  readonly image: string;
  readonly snippet: string;
  readonly link: string;
  readonly time: string;
  readonly displayed_link: string;
  readonly favicon: string;
  readonly extensions: readonly string[];
}>();
expectTypeOf<VideoSearchData['pagination']>().toEqualTypeOf<{ readonly page_no2: { readonly [field: string]: unknown } }>();
