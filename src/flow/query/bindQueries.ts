import { coerceQuery, queriesOf, type FanOutPage, type QueryValue } from '../../contract/index.ts';
import { laterDay } from '../../../operators/kit/calendar.ts';
import type { AfterBinding, Binding, MadeBinding, ParamBinding } from '../definition/parseBinding.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { isGiven, valueAt, valuesAt, textOf, type FieldPath, isFilled } from '../../../operators/kit/path.ts';
import { LazyRow } from '../../../operators/LazyRow.ts';

/**
 * The queries of a stage for one row: those of its ready-made fan-out, if any, times the product of all its own values.
 * A field without a value leaves its parameter out. If the parameter is required, there are no queries. `page`
 * is the page that contained the row.
 */
export function* bindQueries(stage: FlowStage, row: object, page?: FanOutPage): Generator<QueryParams, void, undefined> {
  const own = ownValues(stage, row);
  if (own === undefined) return;
  const later = stage.with.flatMap(([name, [binding]]) => (binding?.kind === 'after' ? [[name, binding] as const] : []));
  for (const ready of stage.fanOut === undefined ? [{}] : queriesOf(stage.fanOut, row, page)) {
    const filled = Object.entries(ready).map(([name, value]) => [name, [coerce(stage, name, value)]] as const);
    const all = productOf([...filled, ...own]);
    if (later.length === 0) yield* all;
    else for (const params of all) yield withLater(later, params);
  }
}

/** A query with the days that follow others of its days by a number of days. Without the first day, the later one is left out. */
function withLater(later: readonly (readonly [name: string, binding: AfterBinding])[], params: QueryParams): QueryParams {
  const days = later.flatMap(([name, { param, days }]) => {
    const day = laterDay(params[param], days);
    return day === undefined ? [] : [[name, day] as const];
  });
  return { ...params, ...Object.fromEntries(days) };
}

type ParamValues = readonly [name: string, values: readonly QueryValue[]];

/** undefined: a required parameter has no value, so there is no query. */
function ownValues(stage: FlowStage, row: object): readonly ParamValues[] | undefined {
  const params: ParamValues[] = [];
  for (const [name, bindings] of stage.with) {
    if (bindings[0]?.kind === 'after') continue;
    const values: QueryValue[] = [];
    const whole = takesJson.has(stage.operation.params[name]?.type);
    for (const binding of bindings) for (const value of paramValuesOf(binding, row, whole)) values.push(coerce(stage, name, value));
    if (values.length > 0) params.push([name, values]);
    else if (stage.needs.has(name)) return undefined;
  }
  return params;
}

/** The queries with one value of each parameter. The last parameter changes first. */
function* productOf(params: readonly ParamValues[]): Generator<QueryParams, void, undefined> {
  const at = params.map(() => 0);
  for (let last = 0; last >= 0;) {
    yield Object.fromEntries(params.map(([name, values], i) => [name, values[at[i]!]!]));
    for (last = params.length - 1; last >= 0 && at[last]! + 1 === params[last]![1].length; last--) at[last] = 0;
    if (last >= 0) at[last]! += 1;
  }
}

/** The values of a parameter for a row. `whole`: a field's lists and objects are values, too. */
export function paramValuesOf(binding: ParamBinding, row: object, whole = false): readonly QueryValue[] {
  if (binding.kind === 'made') return madeOf(binding, row);
  if (binding.kind === 'each') return paramValuesOf(binding.from, row, true).flatMap(binding.valuesOf);
  if (binding.kind === 'after') return []; // it depends on the query
  if (binding.kind === 'field' && whole) return valuesAt(row, binding.path).filter(isJsonValue);
  return valuesOf(binding, row);
}

/** A list leaves out fields without a value. Without any, and where an object lacks one, there is no value at all. */
function madeOf({ isList, entries }: MadeBinding, row: object): readonly QueryValue[] {
  const made = entries.map(([key, binding]) => [key, paramValuesOf(binding, row, true)] as const);
  if (isList) {
    const values = made.flatMap(([, own]) => own);
    return values.length === 0 && entries.length > 0 ? [] : [values];
  }
  return made.some(([, own]) => own.length === 0) ? [] : [Object.fromEntries(made.map(([key, own]) => [key, own[0]]))];
}

function isJsonValue(value: unknown): value is QueryValue {
  return isGiven(value) || (typeof value === 'object' && value !== null);
}

/** The types of a parameter whose values may be lists and objects. */
export const takesJson: ReadonlySet<string | undefined> = new Set(['strings', 'object', 'array']);

function valuesOf(binding: Binding, row: object): (string | number | boolean)[] {
  if (binding.kind === 'constant') return [binding.value];
  if (binding.kind === 'field') return valuesAt(row, binding.path).filter(isGiven);
  let text = '';
  for (const part of binding.parts) {
    const value = typeof part === 'string' ? part : valuesAt(row, part.path).find(isGiven);
    if (value === undefined) return [];
    text += String(value);
  }
  return [text];
}

/** A value converted to the parameter's type, if that is certain. */
function coerce(stage: FlowStage, name: string, value: QueryValue): QueryValue {
  const type = stage.operation.params[name]?.type;
  if (type === 'strings') return (Array.isArray(value) ? value : [value]).map((one: unknown) => (isGiven(one) ? String(one) : one));
  if (type === 'string') return isGiven(value) ? String(value) : value;
  return typeof value === 'string' ? coerceQuery(stage.operation, { [name]: value })[name]! : value;
}

/** Columns that come with a query from the row it was found in. */
export interface KeptColumns {
  readonly [column: string]: unknown;
}

/** The columns that a stage keeps of its input row and of a query made from it. undefined if there are none. */
export function keptColumns(stage: FlowStage, row: object, params: QueryParams): KeptColumns | undefined {
  if (stage.keep.length === 0) return undefined;
  return Object.fromEntries(
    stage.keep.map(([column, binding]) => {
      if (binding.kind === 'constant') return [column, binding.value];
      if (binding.kind === 'query') {
        const value = params[binding.param];
        return [column, (value === undefined || binding.read === undefined ? value : binding.read(value)) ?? null];
      }
      if (binding.kind === 'text') {
        return [column, binding.parts.map((part) => (typeof part === 'string' ? part : textOf(valueAt(row, part.path)))).join('')];
      }
      const values = valuesAt(row, binding.path);
      return [column, binding.keys.includes('[]') ? values : (values[0] ?? null)];
    }),
  );
}

/** The value that `unless` of a stage reads in a row. */
export function unlessOf({ unless }: NonNullable<FlowStage['since']>, row: object): string | undefined {
  return unless && textOf(valueAt(row, unless.path));
}

/** A copy of a row with these fields only, nested as before. */
export function pickFields(row: object, fields: readonly FieldPath[]): object {
  const picked: Tree = {};
  for (const { keys } of fields) copy(row, picked, keys, 0);
  return picked;
}

/** A copy of a row without these fields. */
export function dropFields(row: object, fields: readonly FieldPath[]): object {
  return fields.reduce((left, { keys }) => without(left, keys) as object, row);
}

function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key!)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (name !== key ? [[name, one]] : rest.length === 0 ? [] : [[name, without(one, rest)]])),
  );
}

function copy(from: unknown, to: Tree, keys: readonly string[], at: number): void {
  const key = keys[at]!;
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, key)) return;
  const value = (from as Tree)[key];
  let copied = value;
  if (at + 1 < keys.length) {
    const inner = Object.hasOwn(to, key) ? to[key] : {};
    if (typeof inner !== 'object' || inner === null) return;
    copy(value, inner as Tree, keys, at + 1);
    copied = inner;
  }
  // Not by assignment, because that would set the prototype for a field named __proto__.
  Object.defineProperty(to, key, { value: copied, enumerable: true, writable: true, configurable: true });
}

interface Tree {
  [field: string]: unknown;
}

/** Counts the rows in which each expected field is filled. */
export function filledIn(stage: FlowStage, rows: readonly object[]): { readonly [field: string]: number } {
  return Object.fromEntries(stage.filled.map((field) => [field.path, rows.filter((row) => holds(row, field)).length]));
}

function holds(row: object, field: FieldPath): boolean {
  if (!(row instanceof LazyRow)) return valuesAt(row, field.path).some(isFilled);
  if (row.fills(field.path)) return true;
  const [first] = field.keys as readonly [string, ...string[]];
  return first !== field.path && holds({ [first]: row.field(first) }, field);
}
