import type { Operation } from './Operation.ts';

/**
 * A query as it goes over the wire: the given parameters in documented order, percent-encoded, without a question mark.
 * For a query that `checkQuery` finds nothing wrong with; what isn't a parameter of the operation is left out.
 */
export function toSearchParams(operation: Operation, query: object): string {
  const search = new URLSearchParams();
  for (const param of Object.keys(operation.params)) {
    const value = (query as { readonly [param: string]: string | number | boolean | undefined })[param];
    if (value !== undefined) search.append(param, String(value));
  }
  return search.toString();
}
