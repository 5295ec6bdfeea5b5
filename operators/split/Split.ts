import type { Splits, PageFactory, PageLike } from '../PageFactory.ts';

/** A walk that has ended. */
export interface Walked<Query extends object = object> {
  readonly query: Query;
  readonly rows: readonly unknown[];
  readonly pages: number;
}

/** Splits a query whose walk was full into narrower queries. None if it can't be split. */
export type Split<Query extends object = object> = (
  query: Query,
  walked: Walked<Query> & { readonly factory?: { readonly name: string; readonly splits?: Splits | undefined } | undefined },
) => readonly Query[];

export interface SplitSummary<Query extends object = object> {
  /** Walks of the queries and of the narrower queries made from them. */
  readonly queries: number;
  /** Unique rows emitted. */
  readonly rows: number;
  /** Duplicate rows dropped. */
  readonly again: number;
  /** Rows left out because they lie outside the area. */
  readonly outside: number;
  /** Queries that were full and could not be split. The service has more rows for them. */
  readonly full: readonly Query[];
}

/** The same factory without reports of walks that end at a limit. Narrower walks find what these miss. */
export function quietly<Query extends object, Page extends PageLike>(factory: PageFactory<Query, Page>): PageFactory<Query, Page> {
  const { paging, listUndocumented, claims, estimates, heedsDemand, id, splits, paginationError } = factory;
  const quiet = (...args: Parameters<typeof factory>): ReturnType<typeof factory> => factory(...args);
  Object.defineProperty(quiet, 'name', { value: factory.name });
  const notify: PageFactory<Query, Page>['notify'] = (event) => (event.type === 'truncated' ? undefined : factory.notify?.(event));
  return Object.assign(quiet, {
    paging,
    listUndocumented,
    claims,
    estimates,
    heedsDemand,
    id,
    splits,
    notify,
    ...(paginationError === undefined ? {} : { paginationError }),
  });
}
