import type { PageFactory } from '../PageFactory.ts';
import { notified } from '../walk/walkPages.ts';
import type { PageLike } from '../PageLike.ts';
import type { RangeRows } from './RangeAxis.ts';
import type { Splits } from './Splits.ts';

/** A walk that has ended, as a split gets it. */
export interface Walked<Query extends object = object> {
  readonly query: Query;
  readonly rows: readonly unknown[];
  readonly pages: number;
  /** The first response. */
  readonly data?: unknown;
  /** The number of rows that the service claims for this query, and for the wider one that it was split from. */
  readonly claim?: number | undefined;
  readonly widerClaim?: number | undefined;
}

export interface SplitFactory {
  readonly name: string;
  readonly splits?: Splits | undefined;
}

/** Splits a query whose walk was full into narrower queries. None if it can't be split. */
export interface Split<Query extends object = object> {
  /** `full`: the number of rows at which a walk is full, if that is a number. */
  (
    query: Query,
    walked: Walked<Query> & { readonly full?: number | undefined; readonly factory?: SplitFactory | undefined },
  ): readonly Query[];
  /** Returns the queries with bounds that are sent instead of a query without, if the service takes none. */
  readonly bounded?: (query: Query) => readonly Query[];
  /** Returns the halves of a query that was refused as too large. None if it can't be halved. */
  readonly halved?: (query: Query) => readonly Query[];
  /** Whether the service claims so many rows that the query is full. If so, its walk ends after the first page. */
  readonly isFull?: (query: Query, rows: RangeRows & { readonly factory: SplitFactory | undefined }) => boolean;
}

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

/** Whether an error may mean that a query is too large: a status such as 400, or a response that isn't success. */
export function mayBeTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'EnvelopeError' || ('status' in error && [400, 413, 422].includes(error.status as number));
}

/** The same factory, which doesn't report walks that end at a limit: narrower queries find the rows that they miss. */
export function withoutCapped<Query extends object, Page extends PageLike>(factory: PageFactory<Query, Page>): PageFactory<Query, Page> {
  return notified(factory, (event) => (event.type === 'capped' ? undefined : factory.notify?.(event)));
}
