import { ownValue } from '../../operators/kit/ownValue.ts';
import type { OperationSpec } from './Operation.ts';
import { parsePath, textOf, valuesAt, type FieldPath } from './valuesAt.ts';

/** The parameter whose values go in one request for several queries. */
export interface BatchParam {
  readonly name: string;
  /** How many ids a request takes. */
  readonly size: number;
  /** The field of a row with the id that it belongs to. */
  readonly match: FieldPath;
}

type Described = Pick<OperationSpec, 'params' | 'id' | 'list' | 'conditional'>;

export function batchOf({ spec: { params, id } }: { readonly spec: Described }): BatchParam | undefined {
  const [name, param] = Object.entries(params).find(([, { batch }]) => batch !== undefined) ?? [];
  return name === undefined ? undefined : { name, size: param!.batch!, match: parsePath((param!.match ?? id)!)! };
}

/** The ids that a query has for a batch. */
export function batchIds({ name }: BatchParam, query: object): readonly string[] {
  const ids = ownValue(query, name);
  return Array.isArray(ids) ? (ids as readonly string[]) : [];
}

/** The rows that belong to some ids. */
export function rowsOfIds({ match }: BatchParam, rows: readonly unknown[], ids: ReadonlySet<string>): readonly unknown[] {
  return rows.filter((row) => typeof row === 'object' && row !== null && valuesAt(row, match).some((value) => ids.has(textOf(value))));
}

/** Why a batch can't be made. undefined if it can. */
export function batchFault({ params, id, list, conditional }: Described): string | undefined {
  const [name, other] = Object.keys(params).filter((each) => params[each]!.batch !== undefined || params[each]!.match !== undefined);
  if (name === undefined) return undefined;
  const { batch, match, type } = params[name]!;
  if (other !== undefined) return `params.${name} and params.${other} have a batch, and a request has only one`;
  if (batch === undefined) return `params.${name}.match says whose a row of a batch is: it needs batch`;
  if (type !== 'strings') return `params.${name}.batch is for a list of ids: its type must be strings, not ${type}`;
  if (list === null) return `params.${name}.batch needs a list of rows, but list is null`;
  if (conditional === true)
    return `conditional is for a request of one query, but several share one by params.${name}.batch; leave one of them out`;
  return (match ?? id) === undefined
    ? `params.${name}.batch needs match: the field of a row that says which of the ids it belongs to`
    : undefined;
}
