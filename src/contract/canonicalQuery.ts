import type { Operation } from './Operation.ts';

/**
 * The one form of all queries that mean the same: parameters sorted by name, those left out that have their default,
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
