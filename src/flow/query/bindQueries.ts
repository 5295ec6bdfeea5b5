import { coerceQuery, queriesOf, type FanOutPage, type QueryValue } from '../../contract/index.ts';
import type { Binding } from '../definition/parseBinding.ts';
import type { MadeBinding, ParamBinding } from '../definition/parseParam.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { isGiven, valuesAt } from '../../contract/valuesAt.ts';

/**
 * The queries of a stage for one row: those of its ready-made fan-out, if any, times the product of all its own values.
 * A field without a value leaves its parameter out. If the parameter is required, there are no queries. `page`
 * is the page that contained the row.
 */
export function* bindQueries(stage: FlowStage, row: object, page?: FanOutPage): Generator<QueryParams, void, undefined> {
  for (const ready of stage.fanOut === undefined ? [{}] : queriesOf(stage.fanOut, row, page)) {
    const filled = Object.fromEntries(Object.entries(ready).map(([name, value]) => [name, coerce(stage, name, value)]));
    for (const own of ownQueries(stage, row)) yield { ...filled, ...own };
  }
}

function* ownQueries(stage: FlowStage, row: object): Generator<QueryParams, void, undefined> {
  const params: [name: string, values: QueryValue[]][] = [];
  for (const [name, bindings] of stage.with) {
    const values = bindings
      .flatMap((binding) => paramValuesOf(binding, row, takesJson(stage, name)))
      .map((value) => coerce(stage, name, value));
    if (values.length > 0) params.push([name, values]);
    else if (stage.needs.has(name)) return;
  }
  const last = params.length - 1;
  const at = params.map(() => 0);
  for (;;) {
    yield Object.fromEntries(params.map(([name, values], i) => [name, values[at[i]!]!]));
    let i = last;
    while (i >= 0 && at[i]! + 1 === params[i]![1].length) at[i--] = 0;
    if (i < 0) return;
    at[i]! += 1;
  }
}

/** The values of a parameter for a row. `whole`: a field's lists and objects are values, too. */
export function paramValuesOf(binding: ParamBinding, row: object, whole = false): readonly QueryValue[] {
  if (binding.kind === 'made') return madeOf(binding, row);
  if (binding.kind === 'field' && whole) return valuesAt(row, binding).filter(isJsonValue);
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

function takesJson(stage: FlowStage, name: string): boolean {
  const type = stage.operation.params[name]?.type;
  return type === 'strings' || type === 'object' || type === 'array';
}

function valuesOf(binding: Binding, row: object): (string | number | boolean)[] {
  if (binding.kind === 'constant') return [binding.value];
  if (binding.kind === 'field') return valuesAt(row, binding).filter(isGiven);
  let text = '';
  for (const part of binding.parts) {
    const value = typeof part === 'string' ? part : valuesAt(row, part).find(isGiven);
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
