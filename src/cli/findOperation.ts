import type { Operation, Service } from '../contract/index.ts';
import { UsageError } from './UsageError.ts';

/** The operation of that name; a UsageError that names the nearest one when there is none. */
export function findOperation({ operations }: Service, name: string): Operation {
  const found = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(`There is no operation '${name}'.`, {
    unknown: { given: name, known: Object.keys(operations), say: (nearest) => nearest },
    hint: "'trawler operations' lists them all.",
  });
}
