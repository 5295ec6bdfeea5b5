import { givenFor, planOf, type RequestField } from '../contract/request.ts';
import { readValues, type Slot } from '../contract/template.ts';
import { givenBy } from '../contract/timeText.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { pagingRequestOf, checkQuery, coerceQuery, type Operation } from '../contract/index.ts';
import { pageToken } from './described/positionOfPage.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import type { WorldQuery } from './world/World.ts';

/** The parts of a request. */
interface ReceivedRequest {
  readonly search: URLSearchParams;
  /** The values in the path, by parameter. */
  readonly path: { readonly [param: string]: string };
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** The body as text. '' if there is none. */
  readonly body: string;
}

type Texts = { [param: string]: string | string[] };

/**
 * Reads the parameters from the parts of a request into a typed query. It isn't checked here, because the query of a later page may be only
 * a token, which holds the rest.
 */
export function readQuery(operation: Operation, request: ReceivedRequest): WorldQuery {
  const { spec } = operation;
  const plan = planOf(operation);
  const texts: Texts = { ...request.path };
  const values: { [param: string]: unknown } = {};
  const place: unknown[] = [];
  const takeText = ({ name, as, time, entry }: Slot, value: unknown): void => {
    if (time !== undefined) return void (texts[name] = givenBy(time, value));
    if (entry !== undefined) return void (values[name] = Object.assign(place, { [entry]: value }));
    const text = value as string | string[];
    const isList = operation.params[name]?.type === 'strings';
    if (isList) texts[name] = [text].flat().flatMap((one) => (as === 'comma' ? one.split(',') : [one]));
    else if (Array.isArray(text)) throw new SandboxRefusal(400, `${operation.name}: given more than once: ${name}`);
    else texts[name] = text;
  };
  const takeFields = (fields: readonly RequestField[], from: URLSearchParams): void => {
    const wires = new Set<string>();
    for (const { wire, template } of fields) {
      for (const one of [wire, `${wire}[]`]) wires.add(one);
      const given = [...from.getAll(wire), ...from.getAll(`${wire}[]`)];
      readValues(template, given.length > 1 ? given : given[0], takeText);
    }
    for (const name of new Set(from.keys())) if (!wires.has(name)) texts[name] = from.getAll(name).at(-1)!;
  };
  takeFields(plan.query, request.search);
  for (const { wire, template } of plan.headers) {
    const value = request.headers[wire.toLowerCase()];
    readValues(template, value, (slot, text) =>
      takeText(slot, operation.params[slot.name]?.type === 'strings' ? String(text).split(', ') : text),
    );
  }
  if (plan.bodyAs === 'form') takeFields(plan.form!, new URLSearchParams(request.body));
  if (plan.bodyAs === 'json') {
    const body = bodyOf(operation, request.body);
    if (plan.body !== undefined)
      readValues(plan.body, body, ({ name, time, entry }, value) => {
        const one = time === undefined ? value : givenBy(time, value);
        values[name] = entry === undefined ? one : Object.assign(place, { [entry]: one });
      });
    // the token of merged parameters is a field of the body, besides the parameters
    if (pagingRequestOf(spec.paging).fromBody !== undefined) values[pageToken] = valueAt(body, pageToken);
  }
  for (const given of [texts, values] as { [param: string]: unknown }[])
    for (const name of Object.keys(given))
      if (Object.hasOwn(operation.params, name)) given[name] = givenFor(operation.params[name]!, given[name]);
  const query = { ...coerceQuery(operation, texts), ...values };
  for (const [name, value] of Object.entries(query)) if (value === undefined) delete (query as Texts)[name];
  if (plan.address !== undefined) delete (query as Texts)[plan.address];
  if (spec.paging.kind === 'offset') {
    const { param } = spec.paging;
    if (typeof query[param] === 'string') query[param] = Number(query[param]);
  }
  return query as WorldQuery;
}

/** Throws a SandboxRefusal if a query is invalid. Else returns it. */
export function refuseInvalid(operation: Operation, query: WorldQuery): WorldQuery {
  const issues = checkQuery(operation, query);
  if (issues.length > 0) throw new SandboxRefusal(400, `${operation.name}: ${issues.map(({ message }) => message).join('; ')}`);
  return query;
}

function bodyOf({ name }: Operation, body: string): unknown {
  const value = parsedJson(body);
  if (value === undefined) throw new SandboxRefusal(400, `${name}: the body is not JSON`);
  return value;
}
