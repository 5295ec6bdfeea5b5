import { expectTypeOf } from 'vitest';
import type { Factory } from '../../src/client/Client.ts';
import type { operations, ScholarArticle, ScholarAuthorData, ScholarAuthorQuery } from '../../src/search/index.ts';

expectTypeOf<ScholarAuthorQuery>().toEqualTypeOf<{
  readonly author_id: string;
  readonly results?: number | undefined;
  readonly language?: string | undefined;
  readonly view_op?: 'list_colleagues' | 'view_citation' | undefined;
  readonly sort?: 'title' | 'pubdate' | undefined;
  readonly citation_id?: string | undefined;
}>();
// @ts-expect-error a value that doesn't exist
export const wrong: ScholarAuthorQuery = { author_id: 'x', view_op: 'colleagues' };

expectTypeOf<ScholarArticle>().toEqualTypeOf<{
  readonly title: string;
  readonly link: string;
  readonly citation_id: string;
  readonly authors: string;
  readonly publication: string;
  readonly year: string;
  readonly cited_by: { readonly value: string; readonly link: string; readonly citation_id: string };
}>();
declare const data: ScholarAuthorData;
expectTypeOf(data.author).toEqualTypeOf<{
  readonly name: string;
  readonly affiliations: string;
  readonly email: string;
  readonly thumbnail: string;
  readonly interests: readonly unknown[];
}>();
expectTypeOf(data.cited_by.graph[0]!).toEqualTypeOf<{ readonly year: string; readonly citations: string }>();
const measure = data.cited_by.table[0]!;
expectTypeOf(measure.h_index!.all).toEqualTypeOf<number>();
expectTypeOf(measure.citations!.since_2021).toEqualTypeOf<number | undefined>();
expectTypeOf(data.public_access).toEqualTypeOf<{ readonly link: string; readonly available: string; readonly not_available: string }>();
expectTypeOf(data.co_authors).toEqualTypeOf<readonly unknown[]>();
expectTypeOf(data.pagination).toEqualTypeOf<{ readonly [field: string]: unknown }>();

// view_op picks what comes back.
type Spec = (typeof operations)['scholarAuthor']['spec'];
declare const call: Factory<Spec>;
call({ author_id: 'x' }).subscribe((page) => expectTypeOf(page.items).toEqualTypeOf<readonly ScholarArticle[]>());
call({ author_id: 'x', view_op: 'list_colleagues' }).subscribe((page) => {
  expectTypeOf(page.items).toEqualTypeOf<readonly { readonly [field: string]: unknown }[]>();
  expectTypeOf(page.data.author?.name).toEqualTypeOf<string | undefined>();
});
call({ author_id: 'x', view_op: 'view_citation', citation_id: 'x:y' }).subscribe((page) => {
  expectTypeOf(page.items[0]!.articles?.[0]?.title).toEqualTypeOf<string | undefined>();
});
