import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import type { Operation } from './Operation.ts';
import { planOf } from './request.ts';
import { patternOf } from './template.ts';
import { givenBy } from './timeText.ts';

/** An operation that a request may be for. */
export interface Route {
  readonly operation: Operation;
  /** false: the request has another method. */
  readonly isAllowed: boolean;
  /** The values in the path, by parameter. */
  readonly values: () => { readonly [param: string]: string };
}

/** The parts of a request that tell operations with the same path apart. `body`: undefined if it wasn't read. */
interface RouteHints {
  readonly params: URLSearchParams;
  readonly body?: string | undefined;
}

/**
 * Finds the operation of a request. If several have its path, the method decides, then the constants that each of them sends: the one with
 * the most of them in the request, and none that differs. A missing one may be the service's default.
 */
export function routesOf(
  operations: readonly Operation[],
  prefix: string,
): (method: string, path: string, hints?: RouteHints) => Route | undefined {
  const routes = operations.flatMap((operation) => {
    const { path, laterPath = path } = planOf(operation);
    return [path, laterPath].map((parts) => {
      // some services take a path with and without .json
      const bare = parts.map((part, at) => (typeof part === 'string' && at === parts.length - 1 ? part.replace(/\.json$/, '') : part));
      const slots = parts.filter((part) => typeof part !== 'string');
      return { operation, slots, pattern: patternOf([prefix, ...bare], '([^/]+)', '(?:\\.json)?') };
    });
  });
  return (method, path, hints) => {
    const found = routes.filter(({ pattern }) => pattern.test(path)).toSorted((one, other) => one.slots.length - other.slots.length);
    const able = found.filter(({ operation }) => planOf(operation).method === method);
    const nearest = able.filter(({ slots }) => slots.length === able[0]!.slots.length);
    const scores = nearest.map(({ operation }) => (hints === undefined ? 0 : scoreOf(operation, hints)));
    const best = scores.indexOf(Math.max(...scores));
    const route = nearest[best] ?? found[0];
    if (route === undefined || scores[best] === -Infinity) return undefined;
    const { operation, slots, pattern } = route;
    const values = (): [string, string][] =>
      slots.map(({ name, time }, at) => {
        const text = decodeURIComponent(pattern.exec(path)![at + 1]!);
        return [name, time === undefined ? text : givenBy(time, text)];
      });
    return { operation, isAllowed: best >= 0, values: () => Object.fromEntries(values()) };
  };
}

/** How many constants of an operation a request has, less those that are missing. -Infinity: one differs. */
function scoreOf(operation: Operation, { params, body }: RouteHints): number {
  const plan = planOf(operation);
  const inBody = body !== undefined && plan.body?.kind === 'object' ? plan.body.fields : [];
  const value = inBody.length === 0 ? undefined : parsedJson(body!);
  const sent = [
    ...plan.query.map(({ wire, template }) => [template, params.get(wire) ?? undefined] as const),
    ...inBody.map(([field, template]) => [template, ownValue(value, field)] as const),
  ];
  return sent.reduce((sum, [template, given]) => {
    if (template.kind !== 'constant') return sum;
    return sum + (given === undefined ? -1 : textOfValue(template.value) === textOfValue(given) ? 1 : -Infinity);
  }, 0);
}
