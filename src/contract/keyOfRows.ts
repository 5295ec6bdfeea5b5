import type { Operation } from './Operation.ts';

/** The column that the keys of an object of rows become, if the operation has its rows at this path in such an object. */
export function keyOfRows({ spec }: Operation, path: string | null): string | undefined {
  return path === spec.list ? spec.keyed : undefined;
}
