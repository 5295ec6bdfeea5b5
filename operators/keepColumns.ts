import { ownValue } from './kit/ownValue.ts';
import { firstOf, nearestName } from './check/nearestName.ts';
import { hasField, keepLazily, LazyRow } from './LazyRow.ts';
import type { PageLike } from './PageLike.ts';
import { originOf, setOrigin, type OriginColumn, type RowOrigin } from './rowOrigin.ts';
import { valueAt } from './kit/path.ts';
import type { PathIn, ValueAt } from './RowAt.ts';

/**
 * Columns to add in front of each row's own: the name of a parameter of the page's query, `$.` plus a path in the row
 * that a fan-out requested the page for (`page.parent`), or a function.
 */
export type Keep<Page extends PageLike> = {
  readonly [column: string]: ParamOf<Page['query']> | ParentPath<Page> | ((page: Page, row: Page['items'][number]) => unknown);
};

/** Paths in the row that the page was requested for. Any path if its fields aren't known. */
type ParentPath<Page> = Page extends { readonly parent: infer Parent } ? `$.${PathIn<Parent>}` : `$.${string}`;
/** Any string if the query's parameters aren't known. */
type ParamOf<Query> = [keyof Query] extends [never] ? string : keyof Query & string;

/** The row that `items` emits when it keeps columns. */
export type Kept<Page extends PageLike, Columns, Row> = Flat<{ readonly [C in keyof Columns]: KeptValue<Page, Columns[C]> } & Row>;
type KeptValue<Page extends PageLike, Source> = Source extends (...args: never) => infer Value
  ? Value
  : Source extends `$.${infer Path}`
    ? Page extends { readonly parent: infer Parent }
      ? ValueAt<Parent, Path>
      : unknown
    : Source extends keyof Page['query']
      ? Page['query'][Source]
      : unknown;
type Flat<T> = { [K in keyof T]: T[K] };

type Read = (page: PageLike & { readonly parent?: unknown }, row: unknown) => unknown;

/** Copies columns of the query or the parent in front of each row, and in front of its known columns. */
export function keepColumns(keep: Keep<PageLike>): (page: PageLike, row: unknown, origin: RowOrigin | undefined) => object {
  const readers = Object.entries(keep).map(([column, from]): readonly [string, Read] => [column, reader(column, from)]);
  let widenedFrom: RowOrigin | undefined;
  let widened: RowOrigin | undefined;

  return (page, row, origin) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw new TypeError(`items: a row of ${page.operation} is not an object, so keep has nowhere to put ${Object.keys(keep).join(', ')}`);
    }
    const entries = readers.map(([column, read]) => {
      if (hasField(row, column)) throw new RangeError(`items: keep names '${column}', which a row of ${page.operation} has already`);
      return [column, read(page, row)] as const;
    });
    const columns = Object.fromEntries(entries);
    // Without documented columns there is no origin: a table would have only the kept columns.
    const known = origin === undefined || origin.columns.length === 0 ? undefined : origin;
    if (known !== undefined && known !== widenedFrom) {
      widenedFrom = known;
      widened = { operation: known.operation, columns: [...Object.entries(columns).map(columnOf), ...known.columns] };
    }
    const made = row instanceof LazyRow ? keepLazily(row, columns) : { ...columns, ...row };
    if (known !== undefined && widened !== undefined) setOrigin(made, widened);
    return made;
  };
}

function reader(column: string, from: string | Read): Read {
  if (typeof from === 'function') return from;
  if (typeof from !== 'string' || from === '' || from === '$.') {
    throw new RangeError(`items: keep.${column} must be a parameter's name, '$.field' or a function, not ${from as string}`);
  }
  if (!from.startsWith('$.')) {
    let checked = false;
    return (page) => {
      if (!checked) refuseMisspelt(`keep.${column}`, from, page.query, `the query of ${page.operation}`);
      checked = true;
      return ownValue(page.query, from);
    };
  }
  const path = from.slice(2);
  let checked = false;
  return (page) => {
    if (page.parent === undefined)
      throw new TypeError(`items: keep.${column} reads ${from}, but no fan-out gave this page of ${page.operation} a parent`);
    const value = valueAt(page.parent, path);
    if (!checked && value === undefined)
      refuseMisspelt(`keep.${column}`, path, page.parent, 'the row that the page was requested for', '$.');
    checked = true;
    return value;
  };
}

/** Throws if no field has that name, but one has a similar name or the fields are documented. */
function refuseMisspelt(option: string, path: string, given: unknown, where: string, prefix = ''): void {
  const [field = ''] = path.split('.', 1);
  if (typeof given !== 'object' || given === null || Object.hasOwn(given, field)) return;
  const documented = originOf(given)?.columns.map(({ keys }) => keys[0] ?? '') ?? [];
  if (documented.includes(field)) return;
  const names = [...new Set([...documented, ...Object.keys(given)])];
  const near = nearestName(field, names);
  if (near === undefined && documented.length === 0) return;
  const hint =
    near === undefined ? `it has ${firstOf(names)}; for a field that few rows have, give a function` : `did you mean '${prefix}${near}'?`;
  throw new RangeError(`items: ${option} reads '${prefix}${path}', and ${where} has no ${field}; ${hint}`);
}

function columnOf([path, value]: readonly [string, unknown]): OriginColumn {
  const type = typeof value;
  const absent = value === undefined || value === null;
  return { path, keys: [path], type: absent ? 'string' : type === 'string' || type === 'number' || type === 'boolean' ? type : 'json' };
}
