import { ownValue } from '../../operators/kit/ownValue.ts';
import { kindOf } from '../../operators/walk/paging/pagingKinds.ts';
import type { Operation } from './Operation.ts';

/**
 * The path of a query, after the service's base path: the operation's path with its `{parameters}` filled in, and the
 * other parameters in documented order, percent-encoded. Expects a query that passes `checkQuery`. Unknown parameters
 * are dropped.
 */
export function requestPath(operation: Operation, query: object): string {
  const { path, paging } = operation.spec;
  const address = kindOf(paging).address(paging);
  const sent = kindOf(paging).sent(paging, query);
  const search = new URLSearchParams();
  let filled: string = path;
  for (const param of Object.keys(operation.params)) {
    const value = ownValue(query, param) as string | number | boolean | undefined;
    if (value === undefined || param === address) continue;
    if (path.includes(`{${param}}`)) filled = filled.replace(`{${param}}`, () => encodeURIComponent(String(value)));
    else if (sent === undefined || sent.includes(param)) search.append(param, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

/** The address of a query, if its operation pages by addresses. */
export function nextAddress({ spec: { paging } }: Operation, query: object): string | undefined {
  const param = kindOf(paging).address(paging);
  const value = param === undefined ? undefined : ownValue(query, param);
  return typeof value === 'string' ? value : undefined;
}
