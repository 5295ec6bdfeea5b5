import { valueAt } from '../../../operators/walk/valueAt.ts';
import type { Operation } from '../../contract/Operation.ts';
import { SandboxRefusal } from '../SandboxRefusal.ts';
import type { World, WorldQuery } from '../world/World.ts';

/** The parameter that an address of a page, or what is merged into its query, has. */
export const pageToken = 'page_token';

/** Which rows a query means, and how its response leads on. */
interface PagePosition {
  readonly from: number;
  readonly size: number;
  /** The query without its position in the walk. */
  readonly rest: WorldQuery;
}

/** The parameter that says where in a walk a query is. undefined: there is one page. */
export function positionParam({ spec: { paging } }: Operation): string | undefined {
  if (paging.kind === 'none') return undefined;
  if (paging.kind === 'merge' || (paging.kind === 'cursor' && paging.address === true)) return pageToken;
  return paging.param;
}

/** The rows of a page, where its paging doesn't say. */
const usualSize = 10;

/** Where in its walk a query is. `indexOf`: the row that gives the next page this value, where it comes from the last row. */
export function positionOfPage(
  operation: Operation,
  query: WorldQuery,
  world: World,
  indexOf: (rest: WorldQuery, value: unknown) => number,
): PagePosition {
  const { paging } = operation.spec;
  const param = positionParam(operation);
  if (param === undefined) return { from: 0, size: Infinity, rest: query };
  const { [param]: at, ...rest } = query;
  if (paging.kind === 'offset') {
    const { first = 0, step, fixed = {} } = paging;
    const size = typeof step === 'number' && step > 1 ? step : usualSize;
    const given = at === undefined ? first : Number(at);
    const own = Object.fromEntries(Object.entries(rest).filter(([name]) => !Object.hasOwn(fixed, name)));
    return { from: step === 1 ? (given - first) * size : given - first, size, rest: own };
  }
  const size = paging.kind === 'cursor' ? (paging.size ?? usualSize) : usualSize;
  if (at === undefined || (paging.kind === 'cursor' && at === paging.first)) return { from: 0, size, rest };
  if (paging.kind === 'last') return { from: indexOf(rest, at) + 1, size, rest };
  return { from: opened(operation, at, world).from, size, rest };
}

/** The token of the page that begins at a row. */
export function tokenFor({ name, spec, params }: Operation, from: number, rest: WorldQuery, world: World): unknown {
  const { paging } = spec;
  const type = paging.kind === 'cursor' && paging.address !== true ? params[paging.param]?.type : 'string';
  if (type === 'integer' || type === 'number') return from;
  const token = world.seal(`page of ${name}`, JSON.stringify(rest), from);
  return type === 'array' || type === 'strings' ? [token] : type === 'object' ? { token } : token;
}

/** What a token says. */
export function opened(
  { name }: Operation,
  token: unknown,
  world: World,
): { readonly rest: WorldQuery | undefined; readonly from: number } {
  if (typeof token === 'number') return { rest: undefined, from: token };
  const text = Array.isArray(token) ? token[0] : typeof token === 'object' ? valueAt(token, 'token') : token;
  const [rest, from] = world.open(`page of ${name}`, 'token', String(text));
  if (typeof from !== 'number') throw new SandboxRefusal(400, `${name}: this is not a token of a page`);
  return { rest: JSON.parse(String(rest)) as WorldQuery, from };
}
