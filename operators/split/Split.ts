import type { Splits } from '../PageFactory.ts';

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
