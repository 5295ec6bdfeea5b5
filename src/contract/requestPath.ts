import { oncePer } from '../../operators/kit/once.ts';
import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import type { Operation, OperationSpec } from './Operation.ts';
import type { ParamPart, ParamStyle } from './Param.ts';
import { pagingRequestOf } from './PagingRequest.ts';

/**
 * The path of a query, after the service's base path: the operation's path, or that of its later pages, with its `{parameters}` filled in, and the
 * parameters of the address, fixed ones first, percent-encoded. Expects a query that passes `checkQuery`. Unknown
 * parameters are dropped.
 */
export function requestPath(operation: Operation, query: object): string {
  const plan = planOf(operation);
  const values = plan.sendsOthers ? sentValues(operation, query) : query;
  const { paging, path: own } = operation.spec;
  let path: string = pagingRequestOf(paging).path?.(query) ?? own;
  for (const param of plan.path) path = path.replace(`{${param.name}}`, () => encodeURIComponent(textOfValue(sentValue(param, values))));
  let search = '';
  const params = plan.sendsOthers && !plan.hasBody ? [...plan.query, ...undeclared(operation, query)] : plan.query;
  for (const param of params) {
    const value = sentValue(param, values);
    if (value !== undefined) search += pairsOf(param, value);
  }
  return search === '' ? path : `${path}?${search.slice(1)}`;
}

/** The address of a query, if its operation pages by addresses. */
export function nextAddress(operation: Operation, query: object): string | undefined {
  const { address } = planOf(operation);
  const value = address === undefined ? undefined : ownValue(query, address);
  return typeof value === 'string' ? value : undefined;
}

/**
 * What of a query is sent: all of it, or with a token that stands alone, what may stand beside it. Members of a token that are
 * parameters take the place of others.
 */
export function sentValues({ spec: { path, paging, fixed = {} } }: Operation, query: object): object {
  const request = pagingRequestOf(paging);
  const sent = request.sent(query);
  const all = { ...query, ...request.members(query) };
  if (sent === undefined) return all;
  const stands = (name: string): boolean => sent.includes(name) || Object.hasOwn(fixed, name) || path.includes(`{${name}}`);
  return Object.fromEntries(Object.entries(all).filter(([name]) => stands(name)));
}

/** Members of a token that are parameters, and not declared. They are sent where parameters of the method are. */
export function undeclared({ spec: { params, paging, fixed = {} } }: Operation, query: object): readonly PlannedParam[] {
  const members = pagingRequestOf(paging).members(query) ?? {};
  const names = Object.keys(members).filter((name) => !Object.hasOwn(params, name) && !Object.hasOwn(fixed, name));
  return names.map((name) => ({ name, wire: name, at: [name], style: 'repeat', fixed: undefined }));
}

/** The value of the query, else the fixed one. */
export function sentValue({ name, fixed }: PlannedParam, query: object): unknown {
  return ownValue(query, name) ?? fixed;
}

/** A value as an address or a form has it, with `&` in front. A list is written in the style of its parameter. */
export function pairsOf({ wire, style }: Pick<PlannedParam, 'wire' | 'style'>, value: unknown): string {
  if (!Array.isArray(value)) return pairOf(wire, textOfValue(value));
  if (style === 'comma') return pairOf(wire, value.map(textOfValue).join(','));
  return value.map((one) => pairOf(style === 'brackets' ? `${wire}[]` : wire, textOfValue(one))).join('');
}

function pairOf(wire: string, text: string): string {
  return `&${inForm(wire)}=${inForm(text)}`;
}

const plain = /^[\w.*-]*$/;
const differing = /%20|[!'()~]/g;

/** A text as `URLSearchParams` writes it, which takes many functions of Node for each. */
function inForm(text: string): string {
  if (plain.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(differing, (char) =>
    char === '%20' ? '+' : `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Where one parameter of an operation is sent. */
export interface PlannedParam {
  readonly name: string;
  /** Its name in the request. */
  readonly wire: string;
  /** Its path in a JSON body. */
  readonly at: readonly string[];
  readonly style: ParamStyle;
  /** Sent when the query has no other value. */
  readonly fixed: unknown;
}

/** Where the parameters of an operation are sent, in documented order. */
type RequestPlan = { readonly [part in ParamPart]: readonly PlannedParam[] } & {
  /** The parameter that holds the address of the next page. */
  readonly address: string | undefined;
  readonly hasBody: boolean;
  /** A request may have other parameters than its query. */
  readonly sendsOthers: boolean;
};

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const withBody: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** Made when the operation is first called. */
export const planOf: (operation: Operation) => RequestPlan = oncePer(({ spec }) => makePlan(spec));

/** Whether all that a query says is in the address of its request. */
export function isAddressOnly(operation: Operation): boolean {
  const { hasBody, header } = planOf(operation);
  return !hasBody && header.length === 0;
}

export function hasBody({ method = 'GET' }: Pick<OperationSpec, 'method'>): boolean {
  return withBody.includes(method);
}

/** Where a parameter is sent, as its description says or as is usual for the method. */
export function paramPart(spec: Pick<OperationSpec, 'path' | 'params' | 'method'>, name: string): ParamPart {
  const param = spec.params[name]!;
  if (spec.path.includes(`{${name}}`)) return 'path';
  if (param.in !== undefined) return param.in;
  return param.at !== undefined || hasBody(spec) ? 'body' : 'query';
}

function makePlan(spec: OperationSpec): RequestPlan {
  const { params, fixed = {}, paging } = spec;
  const { address, sendsOthers } = pagingRequestOf(paging);
  const plan: { [part in ParamPart]: PlannedParam[] } = { path: [], query: [], header: [], body: [] };
  for (const [name, value] of Object.entries(fixed))
    if (!Object.hasOwn(params, name)) plan.query.push({ name, wire: name, at: [], style: 'repeat', fixed: value });
  for (const [name, param] of Object.entries(params)) {
    if (name === address) continue;
    const wire = param.name ?? name;
    const at = param.at?.split('.') ?? [wire];
    plan[paramPart(spec, name)].push({
      name,
      wire,
      at,
      style: param.style ?? 'repeat',
      fixed: Object.hasOwn(fixed, name) ? fixed[name] : undefined,
    });
  }
  return { ...plan, address, hasBody: hasBody(spec), sendsOthers };
}
