import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { kindOf } from '../../operators/walk/paging/pagingKinds.ts';
import type { Operation } from './Operation.ts';
import { hasBody, planOf, type PlannedParam } from './requestPlan.ts';

const none: readonly PlannedParam[] = [];

/**
 * The path of a query, after the service's base path: the operation's path with its `{parameters}` filled in, and the
 * parameters of the address, fixed ones first, percent-encoded. Expects a query that passes `checkQuery`. Unknown
 * parameters are dropped.
 */
export function requestPath(operation: Operation, query: object): string {
  const plan = planOf(operation);
  const values = sentValues(operation, query);
  let filled: string = operation.spec.path;
  for (const param of plan.path)
    filled = filled.replace(`{${param.name}}`, () => encodeURIComponent(textOfValue(sentValue(param, values))));
  const search = new URLSearchParams();
  for (const param of plan.query) addValue(search, param, sentValue(param, values));
  if (!hasBody(operation.spec)) for (const param of undeclared(operation, query)) addValue(search, param, sentValue(param, values));
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

/** The address of a query, if its operation pages by addresses. */
export function nextAddress({ spec: { paging } }: Operation, query: object): string | undefined {
  const param = kindOf(paging).address(paging);
  const value = param === undefined ? undefined : ownValue(query, param);
  return typeof value === 'string' ? value : undefined;
}

/**
 * What of a query is sent: all of it, or with a token that stands alone, what may stand beside it. Members of a token that are
 * parameters take the place of others.
 */
export function sentValues({ spec: { path, paging, fixed = {} } }: Operation, query: object): object {
  const kind = kindOf(paging);
  const sent = kind.sent(paging, query);
  const members = kind.members(paging, query);
  if (sent === undefined) return members === undefined ? query : { ...query, ...members };
  const stands = (name: string): boolean => sent.includes(name) || Object.hasOwn(fixed, name) || path.includes(`{${name}}`);
  return Object.fromEntries(Object.entries({ ...query, ...members }).filter(([name]) => stands(name)));
}

/** Members of a token that are parameters, and not declared. They are sent where parameters of the method are. */
export function undeclared({ spec: { params, paging, fixed = {} } }: Operation, query: object): readonly PlannedParam[] {
  const members = kindOf(paging).members(paging, query);
  if (members === undefined) return none;
  const names = Object.keys(members).filter((name) => !Object.hasOwn(params, name) && !Object.hasOwn(fixed, name));
  return names.map((name) => ({ name, wire: name, at: [name], style: 'repeat', fixed: undefined }));
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
