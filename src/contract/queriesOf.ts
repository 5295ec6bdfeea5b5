import { ownValue } from '../../operators/kit/ownValue.ts';
import type { FanOutSource, FanOutSpec } from './Service.ts';
import type { FanOutPart } from './SearchWords.ts';
import { rowsAt } from '../../operators/walk/rowsAt.ts';
import { isGiven, parsePath, valuesAt, textOf, type FieldPath } from '../../operators/kit/path.ts';
import type { OperationSpec } from './Operation.ts';
import type { ParamSpec } from './Param.ts';

type Value = string | number | boolean;

/** A query made by a fan-out, without the parameters its user adds. */
export interface FanOutQuery {
  readonly [param: string]: Value;
}

export interface FanOutPage {
  readonly data: unknown;
  readonly query: object;
}

/** The entries of a page that a fan-out runs over: those of its list, or the data itself. undefined if it runs over the rows. */
export function entriesOf({ rows }: FanOutSpec, page: FanOutPage): readonly object[] | undefined {
  return rows === undefined ? undefined : rowsAt(page.data, rows).items.filter((entry) => typeof entry === 'object' && entry !== null);
}

/**
 * The queries that a fan-out makes for a row: none if a parameter has no value in the row, several if one has several values. `page` is
 * the page that the row came from. `given`: parameters that the user sets, which aren't taken from the row.
 */
export function queriesOf(
  spec: FanOutSpec,
  row: object,
  page?: FanOutPage,
  given: { readonly [param: string]: unknown } = {},
): readonly FanOutQuery[] {
  if (spec.unlessZero?.some((path) => valuesOf(path, row, page).some((value) => Number(value) === 0)) === true) return [];
  let queries: readonly FanOutQuery[] = [{}];
  for (const [param, source] of Object.entries(spec.with)) {
    if (ownValue(given, param) !== undefined) continue;
    const values = firstOf(Array.isArray(source) ? (source as readonly FanOutSource[]) : [source as FanOutSource], row, page);
    queries = queries.flatMap((query) => values.map((value) => ({ ...query, [param]: value })));
  }
  return queries;
}

export function idOf({ by, with: sources }: FanOutSpec, query: FanOutQuery): string {
  return (by ?? Object.keys(sources)).map((param) => String(ownValue(query, param) ?? '')).join(' ');
}

/** The path that a source reads, in the row or in its query. Neither for a constant. */
export function pathsOf(source: FanOutSource): { readonly row?: string; readonly query?: string } {
  const text = typeof source === 'string' ? source : source.of;
  if (text.startsWith('$.')) return { row: text.slice(2) };
  return text.startsWith('$query.') ? { query: text.slice('$query.'.length) } : {};
}

function firstOf(sources: readonly FanOutSource[], row: object, page: FanOutPage | undefined): readonly Value[] {
  for (const source of sources) {
    const values = typeof source === 'string' ? valuesOf(source, row, page) : partsOf(source, valuesOf(source.of, row, page));
    if (values.length > 0) return values;
  }
  return [];
}

function valuesOf(source: string, row: object, page: FanOutPage | undefined): readonly Value[] {
  const paths = pathsOf(source);
  // A row without a page, such as one from a file of seeds, has the parameter itself.
  if (paths.query !== undefined) return valuesAt(page?.query ?? row, paths.query).filter(isGiven);
  return paths.row === undefined ? [source] : valuesAt(row, paths.row).filter(isGiven);
}

function partsOf({ before, split, param }: FanOutPart, values: readonly Value[]): readonly Value[] {
  return values
    .flatMap((value) => {
      const text = String(value);
      if (param !== undefined) return [new URLSearchParams(text.split('?', 2)[1]).get(param) ?? ''];
      if (before !== undefined) return [text.split(before, 1)[0]!];
      return split === undefined ? [text] : text.split(split).map((part) => part.trim());
    })
    .filter(isGiven);
}

/** A list of ids that several queries share in one request. */
export interface BatchParam {
  readonly name: string;
  /** How many ids a request takes. */
  readonly size: number;
  /** The field of a row with the id that it belongs to. */
  readonly match: FieldPath;
}

type Described = Pick<OperationSpec, 'params' | 'id' | 'rows'>;

export function batchOf({ spec: { params, id } }: { readonly spec: Described }): BatchParam | undefined {
  const [name, param] = Object.entries(params).find(([, { batch }]) => batch !== undefined) ?? [];
  if (name === undefined) return undefined;
  const { batch } = param!;
  return { name, size: batchSize(param!), match: parsePath(typeof batch === 'object' ? batch.id : id!)! };
}

/** How many values of a parameter go in one request. */
export function batchSize({ batch = Infinity }: Pick<ParamSpec, 'batch'>): number {
  return typeof batch === 'number' ? batch : batch.size;
}

/** The ids that a query has for a batch. */
export function batchIds({ name }: BatchParam, query: object): readonly string[] {
  const ids = ownValue(query, name);
  return Array.isArray(ids) ? (ids as readonly string[]) : [];
}

/** The rows that belong to some ids. */
export function rowsOfIds({ match }: BatchParam, rows: readonly unknown[], ids: ReadonlySet<string>): readonly unknown[] {
  return rows.filter((row) => typeof row === 'object' && row !== null && valuesAt(row, match.path).some((value) => ids.has(textOf(value))));
}

/** Says why the batch of an operation can't be right. undefined: it can. */
export function batchFault({ params, id, rows: list }: Described): string | undefined {
  const [name, other] = Object.keys(params).filter((each) => params[each]!.batch !== undefined);
  if (name === undefined) return undefined;
  const { batch, type } = params[name]!;
  if (other !== undefined) return `params.${name} and params.${other} have a batch, and a request has only one`;
  if (type !== 'strings') return `params.${name}.batch is for a list of ids: its type must be strings, not ${type}`;
  if (list === null) return `params.${name}.batch needs a list of rows, but rows is null`;
  return typeof batch === 'number' && id === undefined
    ? `params.${name}.batch needs the field of a row that says which of the ids it belongs to: batch: { size: ${batch}, id: … }`
    : undefined;
}
