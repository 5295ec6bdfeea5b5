import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { kindOf } from '../../operators/walk/paging/pagingKinds.ts';
import type { Operation } from './Operation.ts';
import { planOf, type PlannedParam } from './requestPlan.ts';

/**
 * The path of a query, after the service's base path: the operation's path with its `{parameters}` filled in, and the
 * parameters of the address, fixed ones first, percent-encoded. Expects a query that passes `checkQuery`. Unknown
 * parameters are dropped.
 */
export function requestPath(operation: Operation, query: object): string {
  const plan = planOf(operation);
  const values = sentValues(operation, query);
  let filled: string = operation.spec.path;
  for (const param of plan.path) filled = filled.replace(`{${param.name}}`, () => encodeURIComponent(textOfValue(sentValue(param, query))));
  const search = new URLSearchParams();
  for (const param of plan.query) addValue(search, param, sentValue(param, values));
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

/** The address of a query, if its operation pages by addresses. */
export function nextAddress({ spec: { paging } }: Operation, query: object): string | undefined {
  const param = kindOf(paging).address(paging);
  const value = param === undefined ? undefined : ownValue(query, param);
  return typeof value === 'string' ? value : undefined;
}

/** What of a query is sent beside its path: all of it, or with a token that stands alone, what may stand beside it. */
export function sentValues({ spec: { paging, fixed = {} } }: Operation, query: object): object {
  const sent = kindOf(paging).sent(paging, query);
  if (sent === undefined) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => sent.includes(name) || Object.hasOwn(fixed, name)));
}

/** The value of the query, else the fixed one. */
export function sentValue({ name, fixed }: PlannedParam, query: object): unknown {
  return ownValue(query, name) ?? fixed;
}

/** Adds a value to an address or a form. A list is written in the style of its parameter. */
export function addValue(search: URLSearchParams, { wire, style }: PlannedParam, value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) search.append(wire, textOfValue(value));
  else if (style === 'comma') search.append(wire, value.map(textOfValue).join(','));
  else for (const one of value) search.append(style === 'brackets' ? `${wire}[]` : wire, textOfValue(one));
}
