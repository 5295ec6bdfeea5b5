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
  fieldAt,
  nearestName,
  variantFor,
  type Shape,
} from '../../contract/index.ts';
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
import { type FlowDefinition, listed, isSeeds, type StageDefinition } from '../definition/flowFormat.ts';
import { rightValue } from '../../contract/checkQuery/formats.ts';
import { readHeader } from '../seeds/readHeader.ts';
import type { FlowFault, GivenCheckOptions } from './CheckFlowOptions.ts';
import { instead } from './formatFaults.ts';
import { fanOutOf, operationOf, serviceOf } from '../definition/serviceOf.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { messageOf } from '../../errors/messageOf.ts';

const takesJson: readonly string[] = ['strings', 'object', 'array'];

/** Rows that a stage runs over. */
interface Source extends RowsOfStage {
  readonly whose: string;
}

/** The faults of a stage's query, and of the fields it reads from its input rows. */
export function paramFaults(flow: FlowDefinition, name: string, operation: Operation, options: GivenCheckOptions): readonly FlowFault[] {
  const stage = flow.stages[name]!;
  const at = ['stages', name];
  const faults: FlowFault[] = [];
  const sources = sourcesOf(flow, name, options, (fault) => faults.push(fault));
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
        const message = fieldFault(source, field, source.whose, value);
        if (message !== undefined) faults.push({ at: where, message });
      }
    }
    return binding;
  };

  const constants = new Map<string, readonly QueryValue[]>();
  const params = Object.keys(operation.params);
  for (const [param, inputs] of Object.entries(given)) {
    const where = [...at, 'with', param];
    if (!params.includes(param)) {
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
function fanOutFaults(fanOut: FanOutSpec, sources: readonly Source[], runs: boolean, at: readonly string[]): FlowFault[] {
  return Object.entries(fanOut.with).flatMap(([param, from]): FlowFault[] => {
    const paths = listed<FanOutSource>(from).map(pathsOf);
    const fields = paths.flatMap(({ row }) => (row === undefined ? [] : [parsePath(row)!]));
    if (fields.length === 0 || fields.length < paths.length) return [];
    const where = [...at, 'with', param];
    const [first] = fields;
    if (!runs) return [{ at: where, message: `'$.${first!.path}' reads a row, but the stage has no input rows: name them with 'each'` }];
    return sources.flatMap((source) => {
      const messages = fields.map((field) => fieldFault(source, field, source.whose, true));
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

function sourcesOf(flow: FlowDefinition, name: string, options: GivenCheckOptions, tell: (fault: FlowFault) => void): readonly Source[] {
  return [...new Set(listed(flow.stages[name]!.each))].flatMap((each): Source[] => {
    if (each === '-') return [];
    if (isSeeds(each)) {
      try {
        const outside = outsideOf(each, options);
        if (outside !== undefined) {
          tell({ at: ['stages', name, 'each'], message: outside });
          return [];
        }
        const columns = readHeader(resolve(options.folder ?? '.', each), options.fileSystem);
        // The fields of a seed may hold more than text, and a heading may contain dots.
        const shape = Object.fromEntries(columns.map((column) => [column, 'unknown' as const]));
        return [{ shape, kept: columns, whose: `rows of ${each}` }];
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        const why =
          code === 'ENOENT'
            ? `there is no file ${basename(each)} in ${resolve(options.folder ?? '.', each, '..')}`
            : `${each} can't be read: ${messageOf(error)}`;
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
export function outsideOf(each: string, { folder, allowRead = [], fileSystem }: GivenCheckOptions): string | undefined {
  if (folder === undefined) return undefined; // the flow is part of the program that runs it
  const file = fileSystem.realPath(resolve(folder, each)); // follow links, because the target is what would be read
  const inside = [folder, ...allowRead].some((one) => {
    const way = relative(fileSystem.realPath(resolve(one)), file);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
  return inside ? undefined : `${each} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${file})`;
}

/** What is known about the rows of a stage: their shape, and the kept columns. */
interface RowsOfStage {
  readonly shape: Shape;
  readonly kept: readonly string[];
}

export function rowsOfStage(stage: StageDefinition, operation: Operation, fanOut?: FanOutSpec): RowsOfStage {
  const { response, list, variants } = operation.spec;
  const kept = Object.keys(stage.keep ?? {});
  const value = variants === undefined ? undefined : (ownValue(stage.with, variants.param) ?? ownValue(fanOut?.with, variants.param));
  const variant = variantFor(operation.spec, value);
  const path = stage.rows ?? (variant === undefined ? list : variant.list);
  const shape = rowShape(variant?.response ?? response, path, keyOfRows(operation, path)) ?? 'unknown';
  return { shape, kept };
}

/** Why a path finds nothing in these rows. With `value`: why it finds no single value. undefined if it is right. */
export function fieldFault(rows: RowsOfStage, { path, keys }: FieldPath, whose: string, value: boolean = false): string | undefined {
  if (rows.kept.includes(keys[0]!) || rows.kept.includes(path)) return undefined;
  const found = fieldAt(rows.shape, keys);
  switch (found.kind) {
    case 'missing': {
      const names = [...new Set([...found.names, ...rows.kept])].filter((name) => !mayBeKey(name));
      const nearest = nearestName(found.key, names);
      if (nearest !== undefined) return `${whose} have no '${path}'; did you mean '${path.replace(found.key, nearest)}'?`;
      return `${whose} have no '${path}'${names.length === 0 ? '' : `; there are ${names.join(', ')}`}`;
    }
    case 'no list':
      return `'${path}' has [] after something that isn't a list`;
    case 'list':
      return value ? `'${path}' is a list: write '${path}[]' to run over it` : undefined;
    case 'object':
      return value ? `'${path}' is an object: name one of its fields` : undefined;
    default:
      return undefined;
  }
}

/** A seed file without a heading may begin with a key. */
function mayBeKey(name: string): boolean {
  return /\d/.test(name) && (/[a-z\d+/]{16}/i.test(name) || (name.length >= 12 && name.replace(/\D/g, '').length >= 4));
}
