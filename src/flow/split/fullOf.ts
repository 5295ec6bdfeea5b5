import type { Operation } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';

/** The number of rows at which a query of a stage counts as full. */
export function fullOf({ split, limit = Infinity }: StageDefinition, { name, spec }: Operation): number {
  const full = split?.full ?? spec.splits?.full;
  if (full === undefined) throw new RangeError(`full: ${name} does not say how many rows a search gives at most; say it`);
  return Math.min(full, limit);
}
