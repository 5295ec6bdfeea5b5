import { coerceQuery, queriesOf, type FanOutPage } from '../../contract/index.ts';
import type { Binding } from '../definition/parseBinding.ts';
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
  const params: [name: string, values: (string | number | boolean)[]][] = [];
  for (const [name, bindings] of stage.with) {
    const values = bindings.flatMap((binding) => valuesOf(binding, row)).map((value) => coerce(stage, name, value));
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
function coerce(stage: FlowStage, name: string, value: string | number | boolean): string | number | boolean {
  const type = stage.operation.params[name]?.type;
  if (type === 'string') return String(value);
  return typeof value === 'string' ? coerceQuery(stage.operation, { [name]: value })[name]! : value;
}
