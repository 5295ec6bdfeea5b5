import type { PageLike } from './PageFactory.ts';
import type { PathIn, ValueAt } from './RowAt.ts';

/**
 * Columns to add in front of each row's own: the name of a parameter of the page's query, `$.` plus a path in the row
 * that a fan-out requested the page for (`page.parent`), or a function.
 */
export type Keep<Page extends PageLike> = {
  readonly [column: string]: ParamOf<Page['query']> | ParentPath<Page> | ((page: Page, row: Page['items'][number]) => unknown);
};

/** The fields of the row that the page was requested for, as far as known. */
type ParentPath<Page> = Page extends { readonly parent: infer Parent } ? `$.${PathIn<Parent>}` : `$.${string}`;
/** Any string if the query's parameters aren't known. */
type ParamOf<Query> = [keyof Query] extends [never] ? string : keyof Query & string;

/** The row that `items` emits when it keeps columns. */
export type Kept<Page extends PageLike, Columns, Row> = Flat<{ readonly [C in keyof Columns]: KeptValue<Page, Columns[C]> } & Row>;
type KeptValue<Page extends PageLike, Source> = Source extends (...args: never) => infer Value
  ? Value
  : Source extends `$.${infer Path}`
    ? Page extends { readonly parent: infer Parent }
      ? ValueAt<Parent, Path>
      : unknown
    : Source extends keyof Page['query']
      ? Page['query'][Source]
      : unknown;
type Flat<T> = { [K in keyof T]: T[K] };
