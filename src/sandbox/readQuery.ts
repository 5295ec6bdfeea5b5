import { hasBody, planOf, type PlannedParam } from '../contract/requestPath.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { valueAt } from '../../operators/walk/valueAt.ts';
import { pagingRequestOf, checkQuery, coerceQuery, type Operation } from '../contract/index.ts';
import { pageToken } from './described/positionOfPage.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import type { WorldQuery } from './world/World.ts';

/** A request, taken apart. */
interface ReceivedRequest {
  readonly search: URLSearchParams;
  /** The values in the path, by parameter. */
  readonly path: { readonly [param: string]: string };
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** As text. Empty if there is none. */
  readonly body: string;
}

type Texts = { [param: string]: string | string[] };

/**
 * Reads the parameters of a request, each from its part, into a typed query. It isn't checked yet: what follows a token that
 * stands alone lacks the rest.
 */
export function readQuery(operation: Operation, request: ReceivedRequest): WorldQuery {
  const { spec } = operation;
  const plan = planOf(operation);
  const texts: Texts = { ...request.path };
  const values: { [param: string]: unknown } = {};
  const form = hasBody(spec) && spec.bodyAs === 'form' ? new URLSearchParams(request.body) : undefined;
  const { address, fromBody } = pagingRequestOf(spec.paging);
  const merges = fromBody !== undefined;
  const inBody = form === undefined && (plan.body.length > 0 || (hasBody(spec) && merges));
  const body = inBody ? bodyOf(operation, request.body) : undefined;
  for (const param of plan.query) take(operation, request.search, param, texts);
  for (const param of plan.header) {
    const value = request.headers[param.wire.toLowerCase()];
    if (typeof value === 'string') texts[param.name] = listOf(operation, param) ? value.split(', ') : value;
  }
  for (const param of plan.body) {
    if (form !== undefined) take(operation, form, param, texts);
    else values[param.name] = valueAt(body, param.at.join('.'));
  }
  // What a page is merged into stands beside the parameters.
  if (merges && body !== undefined) values[pageToken] = valueAt(body, pageToken);
  const wires = new Set(plan.query.flatMap(({ wire }) => [wire, `${wire}[]`]));
  const unknown = [...new Set(request.search.keys())].filter((name) => !wires.has(name));
  for (const name of unknown) texts[name] = request.search.getAll(name).at(-1)!;
  const query = { ...coerceQuery(operation, texts), ...values };
  for (const [name, value] of Object.entries(query)) if (value === undefined) delete (query as Texts)[name];
  // What is fixed comes with each request, and isn't a parameter that anybody has to give.
  for (const { name, fixed } of [...plan.query, ...plan.body])
    if (fixed !== undefined && !Object.hasOwn(operation.params, name)) delete (query as Texts)[name];
  if (address !== undefined) delete (query as Texts)[address];
  return query as WorldQuery;
}

/** Throws a SandboxRefusal if the operation doesn't allow a query. */
export function allowed(operation: Operation, query: WorldQuery): WorldQuery {
  const issues = checkQuery(operation, query);
  if (issues.length > 0) throw new SandboxRefusal(400, `${operation.name}: ${issues.map(({ message }) => message).join('; ')}`);
  return query;
}

function listOf({ params }: Operation, { name }: PlannedParam): boolean {
  return params[name]?.type === 'strings';
}

/** Takes a parameter from an address or a form. Only a list may be given more than once. */
function take(operation: Operation, from: URLSearchParams, param: PlannedParam, texts: Texts): void {
  const { name, wire, style } = param;
  const given = [...from.getAll(wire), ...from.getAll(`${wire}[]`)];
  if (given.length === 0) return;
  if (listOf(operation, param)) texts[name] = style === 'comma' ? given.flatMap((text) => text.split(',')) : given;
  else if (given.length > 1) throw new SandboxRefusal(400, `${operation.name}: given more than once: ${wire}`);
  else texts[name] = given[0]!;
}

function bodyOf({ name }: Operation, body: string): unknown {
  const value = parsedJson(body);
  if (value === undefined) throw new SandboxRefusal(400, `${name}: the body is not JSON`);
  return value;
}
