import type { Operation } from './contract/Operation.ts';

/** A query as it goes over the wire: the given parameters in documented order, percent-encoded, without a question mark. */
export function toSearchParams(operation: Operation, query: object): string {
  const given: { readonly [param: string]: unknown } = { ...query };
  const search = new URLSearchParams();
  for (const param of Object.keys(operation.params)) {
    const value = given[param];
    if (value !== undefined) search.append(param, String(value));
  }
  return search.toString();
}
