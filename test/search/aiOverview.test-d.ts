import { expectTypeOf } from 'vitest';
import type { OtherText } from '../../src/contract/index.ts';
import type { AiOverviewData, AiOverviewQuery, AiOverviewTextBlock } from '../../src/search/index.ts';

expectTypeOf<AiOverviewQuery>().toEqualTypeOf<{ readonly url: string }>();
// @ts-expect-error url is required
export const empty: AiOverviewQuery = {};

declare const block: AiOverviewTextBlock;
expectTypeOf(block.type).toEqualTypeOf<'paragraph' | 'list' | OtherText>();
if (block.type === 'list') {
  expectTypeOf(block.list[0]!).toEqualTypeOf<{ readonly title: string; readonly snippet: string; readonly link?: string }>();
} else if (block.type === 'paragraph') {
  expectTypeOf(block.snippet_highlighted_words).toEqualTypeOf<readonly string[]>();
}
declare const data: AiOverviewData;
expectTypeOf(data.ai_overview.references[0]!).toEqualTypeOf<{
  readonly title: string;
  readonly link: string;
  readonly snippet?: string;
  readonly source: string;
  readonly index: number;
}>();
// @ts-expect-error AI mode alone has pictures with its sources
void data.ai_overview.references[0]!.favicon;
