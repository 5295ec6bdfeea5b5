import { checkQuery, pathsOf, type FanOutSource, type FanOutSpec, type Operation, type QueryValue } from '../../contract/index.ts';
import {
  parseBinding,
  type Binding,
  type BindingFault,
  type FlowEnv,
  leavesOf,
  paramInputs,
  parseParam,
  type ParamBinding,
} from '../definition/parseBinding.ts';
import { paramValuesOf } from '../query/bindQueries.ts';
import { parsePath, type FieldPath } from '../../contract/valuesAt.ts';
import { type FlowDefinition, listed } from '../definition/flowFormat.ts';
import { rightValue } from '../../contract/checkQuery/formats.ts';
import type { FlowFault, GivenCheckOptions } from './CheckFlowOptions.ts';
import { instead } from './formatFaults.ts';
import { fanOutOf, serviceOf } from '../definition/serviceOf.ts';
import { fieldFault, inputRows, type KnownRows } from './inputRows.ts';

const takesJson: readonly string[] = ['strings', 'object', 'array'];

/** The faults of a stage's query, and of the fields it reads from its input rows. */
export function paramFaults(flow: FlowDefinition, name: string, operation: Operation, options: GivenCheckOptions): readonly FlowFault[] {
  const stage = flow.stages[name]!;
  const at = ['stages', name];
  const faults: FlowFault[] = [];
  const sources = inputRows(flow, name, options, (fault) => faults.push(fault));
  const env: FlowEnv = { values: options.env ?? process.env, allowed: flow.env ?? [] };
  const given: { readonly [param: string]: unknown } = stage.with ?? {};
  const fanOut = fanOutOf(serviceOf(flow, options.service), stage);
  if (fanOut !== undefined) faults.push(...fanOutFaults(fanOut, sources, listed(stage.each).length > 0, at));

  const bindAt = (binding: ParamBinding | BindingFault, where: readonly (string | number)[], value: boolean): ParamBinding | undefined => {
    if (binding.kind === 'fault') {
      faults.push({ at: where, message: binding.message });
      return undefined;
    }
    for (const field of leavesOf(binding).flatMap(fieldsOf)) {
      if (listed(stage.each).length === 0)
        faults.push({ at: where, message: `'$.${field.path}' reads a row, but the stage has no input rows: name them with 'each'` });
      for (const source of sources) {
        const message = fieldFault(source, field, value);
        if (message !== undefined) faults.push({ at: where, message });
      }
    }
    return binding;
  };

  const constants = new Map<string, readonly QueryValue[]>();
  const params = Object.keys(operation.params);
  for (const [param, inputs] of Object.entries(given)) {
    const where = [...at, 'with', param];
    if (!Object.hasOwn(operation.params, param)) {
      faults.push({ at: where, message: `${operation.name} has no parameter '${param}'${instead(param, params, 'it has')}` });
      continue;
    }
    const values = paramInputs(operation.params[param], inputs);
    const several = values === inputs;
    const bindings = values.map((input, index) => bindAt(parseParam(input, env), several ? [...where, index] : where, true));
    if (bindings.every((binding) => binding !== undefined && leavesOf(binding).every(({ kind }) => kind === 'constant')))
      constants.set(
        param,
        bindings.flatMap((binding) => paramValuesOf(binding!, {})),
      );
    else if (!takesJson.includes(operation.params[param]!.type) && bindings.some((binding) => binding?.kind === 'made'))
      faults.push({ at: where, message: `${param} takes no list or object: it must be ${rightValue(operation.params[param]!)}` });
  }
  for (const [column, input] of Object.entries(stage.keep ?? {})) bindAt(parseBinding(input, env), [...at, 'keep', column], false);
  if (stage.since?.unless !== undefined)
    bindAt(parseBinding(stage.since.unless.replace(/^(?!\$\.)/, '$.'), env), [...at, 'since', 'unless'], true);
  faults.push(...constantFaults(operation, { ...fanOut?.with, ...given }, constants, at));
  return faults;
}

/** Fields that a ready fan-out needs and the rows lack. Of several sources, one is enough. */
function fanOutFaults(fanOut: FanOutSpec, sources: readonly KnownRows[], runs: boolean, at: readonly string[]): FlowFault[] {
  return Object.entries(fanOut.with).flatMap(([param, from]): FlowFault[] => {
    const paths = listed<FanOutSource>(from).map(pathsOf);
    const fields = paths.flatMap(({ row }) => (row === undefined ? [] : [parsePath(row)!]));
    if (fields.length === 0 || fields.length < paths.length) return [];
    const where = [...at, 'with', param];
    const [first] = fields;
    if (!runs) return [{ at: where, message: `'$.${first!.path}' reads a row, but the stage has no input rows: name them with 'each'` }];
    return sources.flatMap((source) => {
      const messages = fields.map((field) => fieldFault(source, field, true));
      return messages.includes(undefined) ? [] : [{ at: where, message: messages[0]! }];
    });
  });
}

/** Faults of the values that are known before the run. */
function constantFaults(
  operation: Operation,
  given: { readonly [param: string]: unknown },
  constants: ReadonlyMap<string, readonly QueryValue[]>,
  at: readonly string[],
): FlowFault[] {
  const faults: FlowFault[] = [];
  const first = Object.fromEntries([...constants].map(([param, values]) => [param, values[0]!]));
  for (const { param, message } of checkQuery(operation, first)) {
    if (!Object.hasOwn(given, param) || constants.has(param))
      faults.push({ at: Object.hasOwn(given, param) ? [...at, 'with', param] : [...at, 'with'], message });
  }
  for (const [param, values] of constants) {
    values.forEach((value, index) => {
      if (index === 0) return;
      const issue = checkQuery(operation, { ...first, [param]: value }).find((one) => one.param === param);
      if (issue !== undefined) faults.push({ at: [...at, 'with', param, index], message: issue.message });
    });
  }
  return faults;
}

function fieldsOf(binding: Binding): readonly FieldPath[] {
  if (binding.kind === 'constant') return [];
  return binding.kind === 'field' ? [binding] : binding.parts.filter((part) => typeof part !== 'string');
}
