import type { Operation } from '../../../contract/index.ts';
import type { QueryParams, StageDefinition } from '../../definition/flowFormat.ts';
import type { QuerySplit, SplitQuery } from '../StageSplit.ts';

/** Queries that are split by themselves: nothing follows one that isn't full. */
export function wholeQueries(full: number): Pick<QuerySplit<unknown>, 'isFull' | 'after' | 'placesOf'> {
  return { isFull: (_, { rows }) => rows >= full, after: () => [], placesOf: () => undefined };
}

export function inParams(queries: readonly QueryParams[]): readonly SplitQuery[] {
  return queries.map((params) => ({ params }));
}

/** The number of rows at which a query of a stage counts as full. */
export function fullOf({ split, limit = Infinity }: StageDefinition, { name, spec }: Operation): number {
  const full = split?.full ?? spec.splits?.full;
  if (full === undefined) throw new RangeError(`full: ${name} doesn't say how many rows a search returns at most; give the number`);
  return Math.min(full, limit);
}
