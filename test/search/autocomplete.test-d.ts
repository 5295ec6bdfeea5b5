import { expectTypeOf } from 'vitest';
import type { AutocompleteData, AutocompleteQuery, Suggestion } from '../../src/search/index.ts';

expectTypeOf<AutocompleteQuery>().toEqualTypeOf<{
  readonly query: string;
  readonly country?: string | undefined;
  readonly language?: string | undefined;
}>();
// @ts-expect-error no pages here
export const wrong: AutocompleteQuery = { query: 'x', page: 1 };

expectTypeOf<AutocompleteData>().toEqualTypeOf<{ readonly suggestions: readonly Suggestion[]; readonly verbatim_relevance: number }>();
expectTypeOf<Suggestion['value']>().toEqualTypeOf<string>();
expectTypeOf<Suggestion['relevance']>().toEqualTypeOf<number>();
// One value is known, others may come.
expectTypeOf<'QUERY'>().toExtend<Suggestion['type']>();
expectTypeOf<'NAVIGATION'>().toExtend<Suggestion['type']>();
expectTypeOf<number>().not.toExtend<Suggestion['type']>();
