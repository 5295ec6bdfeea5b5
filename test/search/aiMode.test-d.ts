import { expectTypeOf } from 'vitest';
import type { AiModeData, AiModeQuery, AiModeTextBlock } from '../../src/search/index.ts';

expectTypeOf<AiModeQuery>().toEqualTypeOf<{
  readonly query: string;
  readonly html?: boolean | undefined;
  readonly country?: string | undefined;
  readonly uule?: string | undefined;
  readonly location?: string | undefined;
  readonly safe?: 'active' | 'off' | undefined;
}>();
// @ts-expect-error language isn't a parameter here
export const wrong: AiModeQuery = { query: 'x', language: 'en' };

declare const block: AiModeTextBlock;
if (block.type === 'paragraph') expectTypeOf(block).toEqualTypeOf<{ readonly type: 'paragraph'; readonly snippet: string }>();
if (block.type === 'heading') {
  expectTypeOf(block).toEqualTypeOf<{ readonly type: 'heading'; readonly text: string; readonly level: number }>();
}
if (block.type === 'list') {
  expectTypeOf(block.items[0]!).toEqualTypeOf<{
    readonly type: 'list_item';
    readonly snippet: string;
    readonly links: readonly unknown[];
  }>();
}
// @ts-expect-error headings have a text, no snippet
void block.snippet;

declare const data: AiModeData;
expectTypeOf(data.inline_images).toEqualTypeOf<readonly unknown[]>();
expectTypeOf(data.local_results).toEqualTypeOf<readonly unknown[]>();
expectTypeOf(data.references[0]!).toEqualTypeOf<{
  readonly title: string;
  readonly link: string;
  readonly snippet?: string;
  readonly source: string;
  readonly index: number;
  readonly thumbnail: string;
  readonly favicon: string;
}>();
