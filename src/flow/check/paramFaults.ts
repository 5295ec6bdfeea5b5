import { basename, resolve, isAbsolute, relative, sep } from 'node:path';
import {
  checkQuery,
  keyOfRows,
  pathsOf,
  rowShape,
  type FanOutSource,
  type FanOutSpec,
  type Operation,
  type QueryValue,
} from '../../contract/index.ts';
import { parseBinding, type Binding, type BindingFault, type FlowEnv } from '../definition/parseBinding.ts';
import { leavesOf, paramInputs, parseParam, type ParamBinding } from '../definition/parseParam.ts';
import { paramValuesOf } from '../query/bindQueries.ts';
import { parsePath, type FieldPath } from '../../contract/valuesAt.ts';
import { type FlowDefinition, listed, isSeeds } from '../definition/flowFormat.ts';
import { rightValue } from '../../contract/checkQuery/formats.ts';
import { readHeader } from '../seeds/readHeader.ts';
import type { CheckFlowOptions, FlowFault } from './CheckFlowOptions.ts';
import { instead } from './formatFaults.ts';
import { fieldFault, rowsOfStage, type RowsOfStage } from './fieldFault.ts';
import { fanOutOf, operationOf, serviceOf } from '../definition/serviceOf.ts';
import { realpathSync } from 'node:fs';

const takesJson: readonly string[] = ['strings', 'object', 'array'];

/** Rows that a stage runs over. */
interface Source extends RowsOfStage {
  readonly whose: string;
}

/** The faults of a stage's query, and of the fields it reads from its input rows. */
export function paramFaults(flow: FlowDefinition, name: string, operation: Operation, options: CheckFlowOptions): readonly FlowFault[] {
  const stage = flow.stages[name]!;
  const at = ['stages', name];
  const faults: FlowFault[] = [];
  const sources = sourcesOf(flow, name, options, (fault) => faults.push(fault));
  const env: FlowEnv = { values: options.env ?? process.env, allowed: flow.env ?? [] };
  const given: { readonly [param: string]: unknown } = stage.with ?? {};
  const fanOut = fanOutOf(serviceOf(flow, options.service), stage);
  if (fanOut !== undefined) faults.push(...fanOutFaults(fanOut, sources, listed(stage.each).length > 0, at));

  const bindAt = (binding: ParamBinding | BindingFault, place: readonly (string | number)[], value: boolean): ParamBinding | undefined => {
    if (binding.kind === 'fault') {
      faults.push({ at: place, message: binding.message });
      return undefined;
    }
    for (const field of leavesOf(binding).flatMap(fieldsOf)) {
      if (listed(stage.each).length === 0)
        faults.push({ at: place, message: `'$.${field.path}' reads a row, but the stage runs over none: say with 'each' which` });
      for (const source of sources) {
        const message = fieldFault(source, field, source.whose, value);
        if (message !== undefined) faults.push({ at: place, message });
      }
    }
    return binding;
  };

  const constants = new Map<string, readonly QueryValue[]>();
  const params = Object.keys(operation.params);
  for (const [param, inputs] of Object.entries(given)) {
    const place = [...at, 'with', param];
    if (!params.includes(param)) {
      faults.push({ at: place, message: `${operation.name} has no parameter '${param}'${instead(param, params, 'it has')}` });
      continue;
    }
    const values = paramInputs(operation.params[param], inputs);
    const several = values === inputs;
    const bindings = values.map((input, index) => bindAt(parseParam(input, env), several ? [...place, index] : place, true));
    if (bindings.every((binding) => binding !== undefined && leavesOf(binding).every(({ kind }) => kind === 'constant')))
      constants.set(
        param,
        bindings.flatMap((binding) => paramValuesOf(binding!, {})),
      );
    else if (!takesJson.includes(operation.params[param]!.type) && bindings.some((binding) => binding?.kind === 'made'))
      faults.push({ at: place, message: `${param} takes no list or object: it must be ${rightValue(operation.params[param]!)}` });
  }
  for (const [column, input] of Object.entries(stage.keep ?? {})) bindAt(parseBinding(input, env), [...at, 'keep', column], false);
  if (stage.since?.unless !== undefined)
    bindAt(parseBinding(stage.since.unless.replace(/^(?!\$\.)/, '$.'), env), [...at, 'since', 'unless'], true);
  faults.push(...constantFaults(operation, { ...fanOut?.with, ...given }, constants, at));
  return faults;
}

/** Fields that a ready fan-out needs and the rows lack. Of several sources, one is enough. */
function fanOutFaults(fanOut: FanOutSpec, sources: readonly Source[], runs: boolean, at: readonly string[]): FlowFault[] {
  return Object.entries(fanOut.with).flatMap(([param, from]): FlowFault[] => {
    const paths = listed<FanOutSource>(from).map(pathsOf);
    const fields = paths.flatMap(({ row }) => (row === undefined ? [] : [parsePath(row)!]));
    if (fields.length === 0 || fields.length < paths.length) return [];
    const place = [...at, 'with', param];
    const [first] = fields;
    if (!runs) return [{ at: place, message: `'$.${first!.path}' reads a row, but the stage runs over none: say with 'each' which` }];
    return sources.flatMap((source) => {
      const messages = fields.map((field) => fieldFault(source, field, source.whose, true));
      return messages.includes(undefined) ? [] : [{ at: place, message: messages[0]! }];
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
  const bound = Object.keys(given).filter((param) => !constants.has(param));
  const first = Object.fromEntries([...constants].map(([param, values]) => [param, values[0]!]));
  for (const { param, message } of checkQuery(operation, first)) {
    if (!bound.includes(param)) faults.push({ at: Object.hasOwn(given, param) ? [...at, 'with', param] : [...at, 'with'], message });
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

function sourcesOf(flow: FlowDefinition, name: string, options: CheckFlowOptions, tell: (fault: FlowFault) => void): readonly Source[] {
  return [...new Set(listed(flow.stages[name]!.each))].flatMap((each): Source[] => {
    if (each === '-') return [];
    if (isSeeds(each)) {
      try {
        const outside = outsideOf(each, options);
        if (outside !== undefined) {
          tell({ at: ['stages', name, 'each'], message: outside });
          return [];
        }
        const columns = readHeader(resolve(options.folder ?? '.', each));
        // The fields of a seed may hold more than text, and a heading may contain dots.
        const shape = Object.fromEntries(columns.map((column) => [column, 'unknown' as const]));
        return [{ shape, kept: columns, whose: `rows of ${each}` }];
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        const why =
          code === 'ENOENT'
            ? `there is no file ${basename(each)} in ${resolve(options.folder ?? '.', each, '..')}`
            : `${each} can't be read: ${String(error instanceof Error ? error.message : error)}`;
        tell({ at: ['stages', name, 'each'], message: why });
        return [];
      }
    }
    const parent = Object.hasOwn(flow.stages, each) ? flow.stages[each]! : undefined;
    const operation = parent === undefined ? undefined : operationOf(serviceOf(flow, options.service), parent.call);
    if (parent === undefined || operation === undefined) return [];
    const service = serviceOf(flow, options.service);
    const list = fanOutOf(service, flow.stages[name]!)?.rows;
    if (list === undefined)
      return [{ ...rowsOfStage(parent, operation, fanOutOf(service, parent)), whose: `rows of stage ${each} (${operation.name})` }];
    const shape = rowShape(operation.spec.response, list, keyOfRows(operation, list)) ?? 'unknown';
    return [{ shape, kept: Object.keys(parent.keep ?? {}), whose: `${list ?? 'data'} of stage ${each} (${operation.name})` }];
  });
}

/** Why a file may not be read. A flow from somebody else must not read files outside its own folder. */
export function outsideOf(each: string, { folder, allowRead = [] }: CheckFlowOptions): string | undefined {
  if (folder === undefined) return undefined; // the flow is part of the program that runs it
  const file = realpathSync(resolve(folder, each)); // follow links, because the target is what would be read
  const inside = [folder, ...allowRead].some((one) => {
    const way = relative(realpathSync(resolve(one)), file);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
  return inside ? undefined : `${each} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${file})`;
}
