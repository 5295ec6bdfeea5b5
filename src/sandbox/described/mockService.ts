import { ownValue } from '../../../operators/kit/ownValue.ts';
import { type Pick, pickIn, valueAt } from '../../../operators/kit/path.ts';
import { listPath, outerColumns, type RowPlace } from '../../../operators/walk/rowsAt.ts';
import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import { responseOf, setAt } from '../../contract/envelopeOf.ts';
import type { Flags } from '../../../operators/walk/paging/followToken.ts';
import { planOf } from '../../contract/request.ts';
import { filledText } from '../../contract/template.ts';
import { asRow, entryShape, rowPlaceOf } from '../../contract/fieldAt.ts';
import type { Imitated, ImitatedResponse } from '../imitated.ts';
import type { Random } from '../world/Random.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { refuseInvalid } from '../readQuery.ts';
import { fromShape } from './fromShape.ts';
import { hasToken, opened, pageToken, positionOfPage, positionParam, tokenFor, tokenInRow } from './positionOfPage.ts';
import {
  addressOf,
  batchIds,
  batchOf,
  fieldAt,
  fieldsOf,
  headerIn,
  kindOfShape,
  leafOf,
  type Paging,
  pageHeadersOf,
  pagingKindOf,
  pagingRequestOf,
  type LeafParts,
  type Shape,
  type Operation,
  rowShape,
  type Service,
} from '../../contract/index.ts';

/** Imitates any service from its description: with rows of its shapes, and its paging. `rows`: how many rows each query has. */
export function mockService(service: Service, rows: number | undefined): Imitated {
  return {
    service,
    wholeQuery(operation, query, world) {
      const { [pageToken]: at, ...own } = query;
      const whole = { ...restOf(operation, query, world), ...own };
      refuseInvalid(operation, whole);
      return at === undefined ? whole : { ...whole, [pageToken]: at };
    },
    respond(operation, query, world) {
      const response = respond(service, operation, query, world, rows);
      for (const path of failurePaths(service, operation))
        if (valueAt(response.data, path) !== undefined) put(response.data, path, undefined);
      const { until } = operation.spec.job ?? {};
      return until === undefined ? response : { ...response, beside: { ...response.beside, [until.at]: until.is[0] } };
    },
  };
}

/** The paths in the data that would mean a failure, if the body is the data. A correct response has nothing there. */
function failurePaths(service: Service, { spec }: Operation): readonly string[] {
  const { data, error } = spec.envelope ?? service.envelope ?? {};
  const rules = [...(spec.failures ?? []), ...(service.failures ?? [])];
  return data === undefined
    ? ([error, ...rules.map(({ at }) => at)].filter((at) => at !== undefined && !at.includes('[')) as string[])
    : [];
}

/** The query of the walk, which the token holds if a later page has no other parameters. */
function restOf(operation: Operation, query: WorldQuery, world: World): WorldQuery | undefined {
  const { paging } = operation.spec;
  const param = positionParam(operation);
  if (param === undefined || !hasToken(operation, query)) return undefined;
  return param === pageToken || ('alone' in paging && paging.alone !== undefined) ? opened(operation, query[param], world).rest : undefined;
}

function respond(service: Service, operation: Operation, query: WorldQuery, world: World, rows: number | undefined): ImitatedResponse {
  const { spec } = operation;
  const { paging } = spec;
  const kind = pagingKindOf(paging);
  const { response, rows: list } = responseOf(operation, query);
  if (list === null) return { data: wholeOf(response, world.random(operation.name, canonicalJson(query))) };
  const place = rowPlaceOf(operation, list);
  const shape = rowShape(response, list, { ...place, columns: undefined }); // with the service's own names
  // fields that say how many rows a fan-out finds are left out, because the number isn't known here
  const claimed = Object.values(service.fanOuts).flatMap(({ claims }) => (claims === undefined ? [] : [claims.replace(/^\$\./, '')]));
  const listOf = (rest: WorldQuery): RowList => rowList(operation, shape, rest, world, { rows, claimed });
  const position = positionOfPage(operation, query, world, (rest, value) => listOf(rest).indexOf(value));
  const { total, row } = listOf(position.rest);
  const to = Math.min(total, position.from + position.size);
  const page = Array.from({ length: Math.max(0, to - position.from) }, (_, i) => row(position.from + i));

  const random = world.random(operation.name, canonicalJson(query));
  const data = withRows(fromShape(response, random), response, { ...place, list }, page, random);
  const headers: { [name: string]: string } = {};
  const set = (path: string | undefined, value: unknown): void => {
    const header = headerIn(path ?? '');
    if (header !== undefined) headers[header] = String(value);
    else if (path !== undefined) put(data, path, value ?? nothingAt(response, path));
  };
  const hasMore = to < total;
  const [known, pages] = world.endless ? [to + 1000, 1000] : [total, Math.ceil(total / position.size)];
  set(spec.claims?.at, known);
  set(spec.estimates, known);
  if (kind.operator === undefined) return { data, headers };
  const { more, done }: Flags = paging.kind === 'merge' || paging.kind === 'none' ? {} : paging;
  for (const [flag, isSet] of [
    [more, hasMore],
    [done, !hasMore],
  ] as const) {
    if (typeof flag === 'object') set(flag.present, isSet ? 'it is there' : undefined);
    else set(flag, isSet);
  }
  const counted = { rows: known, pages, page: Math.floor(position.from / position.size) };
  for (const [path, value] of Object.entries(countsOf(paging, counted))) set(path, value);
  if (kind.operator === 'offsetPages') return { data, headers };
  // if the first page needs a token, a query without one gets no next page
  const leads = hasMore && kind.begin(query, {}, operation.name).query === query;
  const token = leads ? tokenFor(operation, to, position.rest, world) : undefined;
  const { address, fromBody: beside, tokenAt } = pagingRequestOf(paging);
  const header = pageHeadersOf(spec)?.next;
  const isAddress = leads && address !== undefined;
  const next = isAddress ? `${addressOf(service).path}${filled(operation, query)}?${pageToken}=${token as string}` : token;
  if (beside !== undefined) return { data, headers, beside: { [beside]: leads ? { [pageToken]: token } : undefined } };
  if (header === undefined) set(tokenAt[0], next);
  else if (leads) headers[header] = header === 'link' ? `<${next as string}>; rel="next"` : String(next);
  return { data, headers };
}

/** A response that is itself the only row, with all of its fields. */
function wholeOf(shape: Shape, random: Random): unknown {
  const at = kindOfShape(shape);
  if (at.kind !== 'object') return fromShape(shape, random);
  return Object.fromEntries(fieldsOf(at.object).map(({ name, shape: field }) => [name, fromShape(field, random, name)]));
}

/** The numbers of rows and pages that a page tells, by path in its data. Pages are counted from 0. */
function countsOf(
  paging: Paging,
  counted: { readonly rows: number; readonly pages: number; readonly page: number },
): { readonly [path: string]: unknown } {
  if (paging.kind !== 'offset') return {};
  const { total, pages, numbers } = paging;
  const listed = Array.from({ length: Math.min(counted.pages, 10) }, (_, i) => i + 1);
  return {
    ...(total !== undefined && { [total]: counted.rows }),
    ...(pages !== undefined && { [pages]: counted.pages }),
    ...(numbers !== undefined && { [numbers.at]: Object.fromEntries(listed.map((number) => [number, number])) }),
    ...(numbers?.current !== undefined && { [numbers.current]: counted.page + 1 }),
  };
}

/** The value of a field that has nothing: null if that is allowed, else the field is absent. */
function nothingAt(response: Shape, path: string): null | undefined {
  const leaf = leafAt(response, path);
  if (leaf !== undefined) return leaf.nullable ? null : undefined;
  const at = fieldAt(response, path.split('.'));
  return 'shape' in at && at.optional ? null : undefined;
}

/** The leaf at a path. undefined: there is none. */
function leafAt(shape: Shape, path: string): LeafParts | undefined {
  const at = fieldAt(shape, path.split('.'));
  const kind = 'shape' in at ? kindOfShape(at.shape) : undefined;
  return kind?.kind === 'leaf' ? leafOf(kind.leaf) : undefined;
}

/** The path of a query's request. */
function filled(operation: Operation, query: WorldQuery): string {
  return filledText(
    planOf(operation).path,
    ({ name }) => query[name],
    (value) => encodeURIComponent(String(value)),
  )!;
}

/** All rows of a query. Each has its own id, and its own value for the next page's token. */
interface RowList {
  readonly total: number;
  readonly row: (index: number) => object;
  /** The index of the row with this value for the next page. `total` if there is none. */
  readonly indexOf: (value: unknown) => number;
}

function rowList(
  operation: Operation,
  shape: Shape | undefined,
  rest: WorldQuery,
  world: World,
  { rows, claimed }: { readonly rows: number | undefined; readonly claimed: readonly string[] },
): RowList {
  const { name, spec } = operation;
  const identity = canonicalJson(rest);
  const owner = world.random(name, identity).hex(6);
  const batch = batchOf(operation);
  const ids = batch === undefined ? undefined : batchIds(batch, rest); // one row for each
  const total = ids?.length ?? (world.endless ? Infinity : (rows ?? world.random('rows', name, identity).int(0, 35)));
  const last = tokenInRow(spec.paging);
  const theirs = (field: string): string => spec.columns?.[field] ?? field;
  const unique = [...new Set([spec.id, ...last].filter((field) => field !== undefined).map(theirs))];
  const unknown = claimed.map(theirs).filter((field) => shape !== undefined && isOptional(shape, field));
  const row = (index: number): object => {
    const made = (shape === undefined ? {} : fromShape(shape, world.random('row', name, identity, index))) as object;
    if (typeof made === 'object' && made !== null)
      for (const field of unique) setAt(made, field.split('.'), uniqueValue(shape, field, index, owner));
    for (const field of unknown) if (valueAt(made, field) !== undefined) put(made, field, undefined);
    if (batch !== undefined) setAt(made, batch.match.keys, ids![index]);
    return made;
  };
  const valueOf = (index: number): unknown => {
    const values = last.map((field) => valueAt(row(index), field));
    return values.length === 1 ? values[0] : values;
  };
  return {
    total,
    row,
    indexOf(value) {
      const text = canonicalJson(value);
      for (let index = 0; index < Math.min(total, 100_000); index++) if (canonicalJson(valueOf(index)) === text) return index;
      return total;
    },
  };
}

function isOptional(shape: Shape, field: string): boolean {
  const at = fieldAt(shape, field.split('.'));
  return 'shape' in at && at.optional;
}

function uniqueValue(shape: Shape | undefined, field: string, index: number, owner: string): unknown {
  if (shape !== undefined && fieldAt(shape, field.split('.')).kind === 'list') return [index, `${owner}-${index}`];
  const type = shape === undefined ? undefined : leafAt(shape, field)?.type;
  return type === 'integer' || type === 'number' ? Number.parseInt(owner, 16) * 1000 + index : `${owner}-${index}`;
}

/** Puts rows into the data. Columns that a row gets from the object around it are put there. */
function withRows(data: unknown, response: Shape, { list, keyed, outer }: RowPath, rows: readonly object[], random: Random): unknown {
  const picked = listPath(list) === list ? undefined : pickIn(list);
  const [first = '', ...inner] = listPath(list)
    .split('[]')
    .map((part) => part.replace(/^\./, ''));
  const entry = entryShape(response, list, keyed);
  const isPlain = keyed === undefined && entry !== undefined && asRow(entry) !== entry;
  const columns = outerColumns(outer);
  const hold = (holder: unknown, row: object): void => {
    for (const [column, at] of columns) put(holder, at, ownValue(row, column));
  };
  const bare = (row: object): unknown => {
    const own = Object.fromEntries(Object.entries(row).filter(([field]) => !columns.some(([column]) => column === field)));
    return isPlain ? own['value'] : picked === undefined ? own : { ...own, [picked.field]: picked.value };
  };
  if (inner.length === 0) {
    if (rows.length > 0) hold(data, rows[0]!);
    return put(data, first, keyed === undefined ? rows.map(bare) : membersOf(rows.map(bare) as object[], keyed));
  }
  const outermost = entryShape(response, first);
  const entries = rows.map((row) => entryOf(outermost, inner, { bare: bare(row), hold: (holder) => hold(holder, row) }, random));
  return put(data, first, entries);
}

interface RowPath extends RowPlace {
  readonly list: string;
}

/** A row without the columns of the object around it, and a function that puts these into that object. */
interface HeldRow {
  readonly bare: unknown;
  readonly hold: (holder: unknown) => void;
}

/** An entry of the outermost list with one row inside of it. */
function entryOf(shape: Shape | undefined, [path = '', ...deeper]: readonly string[], row: HeldRow, random: Random): unknown {
  if (path === '') return row.bare;
  const at = shape === undefined ? undefined : fieldAt(shape, path.split('.'));
  const isList = deeper.length > 0 || at?.kind === 'list';
  const holder = shape === undefined ? {} : fromShape(shape, random);
  if (deeper.length === 0) row.hold(holder);
  const inside = deeper.length === 0 ? row.bare : entryOf(shape && entryShape(shape, path), deeper, row, random);
  return put(holder, path, isList ? [inside] : inside);
}

/** Rows as the members of an object. */
function membersOf(rows: readonly object[], keyed: string): object {
  const members = rows.map((row) => {
    const { [keyed]: key, ...rest } = row as { readonly [field: string]: unknown };
    return [String(key), 'value' in rest && Object.keys(rest).length === 1 ? rest['value'] : rest] as const;
  });
  return Object.fromEntries(members);
}

function put(holder: unknown, path: string, value: unknown): unknown {
  if (path === '') return value;
  const picked = pickIn(path);
  if (picked !== undefined) return put(holder, picked.list, entriesWith(valueAt(holder, picked.list), picked, value));
  setAt(holder as object, path.split('.'), value);
  return holder;
}

/** A list in which the picked entry has a value. Without a value, there is no such entry. */
function entriesWith(list: unknown, { field, value: text, rest = '' }: Pick, value: unknown): readonly unknown[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const others = entries.filter((entry) => ownValue(entry, field) !== text);
  return value === undefined || value === null ? others : [...others, put({ [field]: text }, rest, value)];
}
