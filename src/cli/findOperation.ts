import { type AnyOperation, operations } from '../search/index.ts';
import { UsageError } from './UsageError.ts';

/** The operation of that name; a UsageError that names the nearest one when there is none. */
export function findOperation(name: string): AnyOperation {
  const all: readonly AnyOperation[] = Object.values(operations);
  const found = all.find((operation) => operation.name === name);
  if (found !== undefined) return found;
  const known = all.map((operation) => operation.name);
  throw new UsageError(`There is no operation '${name}'.`, {
    unknown: { given: name, known, say: (nearest) => nearest },
    hint: "'trawler operations' lists them all.",
  });
}
