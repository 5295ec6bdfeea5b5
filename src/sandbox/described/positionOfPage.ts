import { valueAt } from '../../../operators/kit/path.ts';
import { pageNumberOf } from '../../../operators/walk/paging/offsetPaging.ts';
import { type Operation, type Paging, pagingKindOf, pagingRequestOf } from '../../contract/index.ts';
import { SandboxRefusal } from '../SandboxRefusal.ts';
import type { World, WorldQuery } from '../world/World.ts';

/** The parameter for the token in the address of a page, or in an object that is merged into the query. */
export const pageToken = 'sandbox_page';

/** Which rows of a walk a query gets. */
interface PagePosition {
  readonly from: number;
  readonly size: number;
  /** The query without its position in the walk. */
  readonly rest: WorldQuery;
}

/** The parameter that says which page of a walk a query is for. undefined: there is only one page. */
export function positionParam({ spec: { paging } }: Operation): string | undefined {
  const { address, fromBody, params } = pagingRequestOf(paging);
  return address !== undefined || fromBody !== undefined ? pageToken : params[0];
}

/** Whether a query has the token of a later page. */
export function hasToken({ name, spec: { paging } }: Operation, query: WorldQuery): boolean {
  const kind = pagingKindOf(paging);
  return kind.operator === 'expandCursor' && (query[pageToken] !== undefined || kind.begin(query, {}, name).partial);
}

/** The fields of the last row that are the next page's token. */
export function tokenInRow(paging: Paging): readonly string[] {
  return paging.kind === 'last' ? [paging.from].flat() : [];
}

/** The rows of a page, if its paging doesn't say. */
const usualSize = 10;

/** Finds which rows of its walk a query gets. `indexOf` finds the row with a token, if tokens are fields of the last row. */
export function positionOfPage(
  operation: Operation,
  query: WorldQuery,
  world: World,
  indexOf: (rest: WorldQuery, value: unknown) => number,
): PagePosition {
  const { paging } = operation.spec;
  const param = positionParam(operation);
  if (param === undefined) return { from: 0, size: Infinity, rest: query };
  const { [param]: at, ...others } = query;
  const fixed = 'fixed' in paging ? paging.fixed : {};
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !Object.hasOwn(fixed ?? {}, name)));
  const size = pagingKindOf(paging).pageSize ?? usualSize;
  if (paging.kind === 'offset') {
    const number = pageNumberOf(paging, query) - (paging.first ?? 0);
    return { from: paging.step === 1 ? number * size : number, size, rest };
  }
  if (!hasToken(operation, query)) return { from: 0, size, rest };
  const from = tokenInRow(paging).length > 0 ? indexOf(rest, at) + 1 : opened(operation, at, world).from;
  return { from, size, rest };
}

/** The token of the page that begins at a row. */
export function tokenFor(operation: Operation, from: number, rest: WorldQuery, world: World): unknown {
  const { name, params } = operation;
  const type = params[positionParam(operation)!]?.type;
  if (type === 'integer' || type === 'number') return from;
  const token = world.seal(`page of ${name}`, JSON.stringify(rest), from);
  return type === 'array' || type === 'strings' ? [token] : type === 'object' ? { token } : token;
}

/** Reads a token: the query that it is for, and the index of its first row. */
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
