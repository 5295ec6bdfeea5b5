import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import type { Operation } from './Operation.ts';
import { pagingRequestOf } from './PagingRequest.ts';

/** The parameters of an operation by name, each with its default as text. */
const known = new WeakMap<Operation, readonly (readonly [string, string | undefined])[]>();

/**
 * The canonical form of a query. Equivalent queries have the same one: parameters sorted by name, defaults removed,
 * values as text, percent-encoded.
 */
export function canonicalQuery(operation: Operation, query: object): string {
  const search = new URLSearchParams();
  for (const [param, normal] of paramsOf(operation)) {
    const value = ownValue(query, param);
    if (value === undefined) continue;
    const text = textOfValue(value);
    if (text !== normal) search.append(param, text);
  }
  return search.toString();
}

function paramsOf(operation: Operation): readonly (readonly [string, string | undefined])[] {
  let params = known.get(operation);
  if (params === undefined) {
    const { paging } = operation.spec;
    const names = [...Object.keys(operation.params), ...pagingRequestOf(paging).writes].sort();
    known.set(operation, (params = names.map((name) => [name, defaultOf(operation, name)] as const)));
  }
  return params;
}

function defaultOf({ params }: Operation, name: string): string | undefined {
  const normal = ownValue(params, name)?.default;
  return normal === undefined ? undefined : String(normal);
}
