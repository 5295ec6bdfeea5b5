import { isObject, ownValue } from '../../operators/kit/ownValue.ts';
import { pagingRequestOf } from './PagingRequest.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { listPath, type RowsAt } from '../../operators/walk/rowsAt.ts';
import { responseOf, type ResponseSpec } from './envelopeOf.ts';
import { entryShape, fieldAt, isOptionalList, rowPlaceOf, rowsIn } from './fieldAt.ts';
import type { Operation } from './Operation.ts';
import { fieldsOf, kindOfShape, type Shape, leafOf } from './Shape.ts';

/** The request whose response is checked. */
interface PageOf {
  readonly operation: Operation;
  readonly query: object;
  /** The path of the rows, if it isn't the operation's own list. */
  readonly rows?: string | undefined;
  /** A missing list of rows counts as an empty one. */
  readonly missing?: 'empty' | undefined;
}

/** Why a response isn't a page, and what to do. */
export interface NotAPage {
  readonly what: string;
  readonly advice: string;
}

const maxLists = 4;

/**
 * Says why a response isn't a page. undefined: it is one. Nothing else decides that.
 *
 * - A response is a page if the list of rows is there, even if it is empty.
 * - If the list is documented as optional, or not documented, it may be missing, but then another documented field must be there.
 * - If the response itself is the only row, it must have one of its documented fields. If all of these are optional, any field will do.
 */
export function whyNotAPage({ operation, query, rows, missing }: PageOf, data: object | null): NotAPage | undefined {
  const spec = responseOf(operation, query);
  const path = rows ?? spec.rows;
  if (path === null) return hasDocumented(spec.response, data, path) ? undefined : noFields;
  const outer = outerOf(path);
  const found = (outer === '' ? data : valueAt(data, outer)) ?? undefined;
  if (hasList(operation, data, path)) {
    const isOne = rowPlaceOf(operation, path).one === true && isObject(found);
    return isOne && !hasDocumented(entryShape(spec.response, path) ?? 'unknown', found, null) ? noFields : undefined;
  }
  if (found !== undefined && operation.spec.listUndocumented !== true) {
    const kind = typeof found === 'object' ? 'an object' : `a ${typeof found}`;
    const what = `the response has ${kind} at ${outer || 'its top'}, not a list of rows`;
    return { what, advice: `check the description${isObject(found) ? '; if its members are the rows, say keyed' : ''}` };
  }
  if (missing === 'empty' || mayLack(operation, spec, path, data)) return undefined;
  const lists = isObject(data) ? listsIn(data).slice(0, maxLists).map(({ list }) => list).join(', ') : ''; // prettier-ignore
  return {
    what: `the response has no list at ${path}, not even an empty one${lists && `. Lists in this response: ${lists}`}`,
    advice:
      `${lists && 'if the rows are in one of them, name it with rows or in the description; '}if the service leaves it out where ` +
      `there are no rows, say missing: 'empty'`,
  };
}

const noFields: NotAPage = { what: 'the response has none of its documented fields', advice: 'check the description' };

function hasList(operation: Operation, data: unknown, path: string): boolean {
  return rowsIn(operation, data, path).list === 'present';
}

/** The path of the outer list, if rows are inside its entries. */
function outerOf(path: string): string {
  return listPath(path).split('[]', 1)[0] ?? '';
}

/** Whether a list may be missing from this response. */
function mayLack(operation: Operation, spec: ResponseSpec, path: string, data: unknown): boolean {
  const { response, rows: list } = spec;
  const isOwn = path === list;
  if (isOwn && operation.spec.listUndocumented === true && leadsOrLists(operation, data)) return true;
  if ((isOwn && operation.spec.listUndocumented === true) || isOptionalList(response, path)) return hasDocumented(response, data, path);
  const { kind } = fieldAt(response, outerOf(path).split('.'));
  if (isOwn || (kind !== 'open' && kind !== 'missing')) return false;
  // It isn't documented, so it may not always be there. It may be missing if the response is a page for the operation's own list.
  return list === null ? hasDocumented(response, data, path) : hasList(operation, data, list) || mayLack(operation, spec, list, data);
}

/** Whether a response has a token of the next page, or any list. If the list of rows is undocumented, that is enough for a page. */
function leadsOrLists({ spec: { paging } }: Operation, data: unknown): boolean {
  const leads = pagingRequestOf(paging).tokenAt.some((at) => (valueAt(data, at) ?? undefined) !== undefined);
  return leads || (isObject(data) && listsIn(data).length > 0);
}

/** Whether a documented field other than the list at `path` is there. */
function hasDocumented(shape: Shape, data: unknown, path: string | null): boolean {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'hint':
    case 'nullable':
      return hasDocumented(at.of, data, path);
    case 'oneOf':
      return at.union.$oneOf.some((one) => hasDocumented(one, data, path));
    case 'object': {
      const fields = fieldsOf(at.object);
      // if all fields are optional, the response may have only undocumented ones
      if (path === null && fields.every(({ optional }) => optional)) return isObject(data) && Object.keys(data).length > 0;
      return fields.length === 0 || fields.some(({ name }) => name !== path && (ownValue(data, name) ?? undefined) !== undefined);
    }
    default:
      return true;
  }
}

/** A list of objects in a response, and its length. */
export interface UnreadList {
  readonly list: string;
  readonly items: number;
}

/**
 * The longest undocumented list of objects that has more entries than there are rows at `path`. The rows that the user wants may be there.
 * Looks at the top of `data`. If there is no list at `path`, it also looks in the objects below.
 */
export function unreadList(operation: Operation, data: unknown, path: string | null): UnreadList | undefined {
  if (path === null || path === '' || typeof data !== 'object' || data === null) return undefined;
  const read = rowsIn(operation, data, path);
  const isUnread = ({ list, items }: UnreadList): boolean =>
    items > read.items.length && list !== path && fieldAt(operation.spec.response, list.split('.')).kind !== 'list';
  const lists = listsIn(data, '', read.list === 'absent' ? 1 : deepest).filter(isUnread);
  return lists.toSorted((one, other) => other.items - one.items)[0];
}

const deepest = 3;

/** The lists of objects in `data` and in its objects, by path. Lists in lists are left out. */
export function listsIn(data: object, above: string = '', depth: number = 1): readonly UnreadList[] {
  return Object.entries(data).flatMap(([field, value]: [string, unknown]) => {
    const list = above + field;
    if (Array.isArray(value)) return isObject(value[0]) ? [{ list, items: value.length }] : [];
    return isObject(value) && depth < deepest ? listsIn(value, `${list}.`, depth + 1) : [];
  });
}

const none: readonly number[] = [];

/**
 * Indices of the rows that can't be used: they aren't objects, although the list is documented as one of objects. Undocumented rows may be
 * anything.
 */
export function unusableRows(response: Shape, path: string | null, { items, plain }: RowsAt): readonly number[] {
  if (plain === undefined) return none;
  const shape = entryShape(response, path);
  return shape !== undefined && isOfObject(shape) ? items.flatMap((row, index) => (plain.has(row) ? [index] : [])) : none;
}

function isOfObject(shape: Shape): boolean {
  const at = kindOfShape(shape);
  if (at.kind === 'leaf') return leafOf(at.leaf).type === 'object';
  if (at.kind === 'nullable') return isOfObject(at.of);
  if (at.kind === 'oneOf') return at.union.$oneOf.every(isOfObject);
  return at.kind === 'object' || at.kind === 'map';
}
