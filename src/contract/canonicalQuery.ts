import type { Operation } from './Operation.ts';

/**
 * The canonical form of a query. Equivalent queries have the same one: parameters sorted by name, defaults removed,
 * values as text, percent-encoded.
 */
export function canonicalQuery(operation: Operation, query: object): string {
  const search = new URLSearchParams();
  for (const param of Object.keys(operation.params).sort()) {
    const value = (query as { readonly [param: string]: string | number | boolean | undefined })[param];
    if (value !== undefined && String(value) !== String(operation.params[param]!.default)) search.append(param, String(value));
  }
  return search.toString();
}
