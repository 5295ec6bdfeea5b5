import { kindOf } from '../../operators/walk/paging/pagingKinds.ts';
import type { Operation, OperationSpec } from './Operation.ts';
import type { ParamPart, ParamStyle } from './Param.ts';

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

const plans = new WeakMap<Operation, RequestPlan>();

/** Made when the operation is first called. */
export function planOf(operation: Operation): RequestPlan {
  let plan = plans.get(operation);
  if (plan === undefined) plans.set(operation, (plan = makePlan(operation.spec)));
  return plan;
}

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
  const address = kindOf(paging).address(paging);
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
  return { ...plan, address, hasBody: hasBody(spec), sendsOthers: kindOf(paging).sendsOthers(paging) };
}
