import { basename, dirname, resolve } from 'node:path';
import {
  rowPlaceOf,
  rowShape,
  type FanOutSpec,
  type Operation,
  fieldAt,
  nearestName,
  responseOf,
  type Shape,
} from '../../contract/index.ts';
import type { FieldPath } from '../../../operators/kit/path.ts';
import { type FlowDefinition, listed, isSeeds, type StageDefinition } from '../definition/flowFormat.ts';
import { readHeader } from '../seeds/readHeader.ts';
import type { FlowFault, GivenCheckOptions } from './CheckFlowOptions.ts';
import { fanOutOf, operationOf, servicesOf } from '../definition/Flow.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { pointColumns } from '../split/gridParam.ts';
import { leadsInto, realPathOf } from '../../files/resolvePath.ts';

/** What is known about rows before the run: their shape, their kept columns, and what to call them. */
export interface KnownRows {
  readonly shape: Shape;
  readonly kept: ReadonlySet<string>;
  readonly whose: string;
}

/** The rows that a stage runs over, from each of its inputs that can be known before the run. */
export function inputRows(
  flow: FlowDefinition,
  name: string,
  options: GivenCheckOptions,
  tell: (fault: FlowFault) => void,
): readonly KnownRows[] {
  return [...new Set(listed(flow.stages[name]!.each))].flatMap((each): KnownRows[] => {
    if (each === '-') return [];
    if (isSeeds(each)) {
      const rows = rowsOfFile(each, options);
      if (typeof rows !== 'string') return [rows];
      tell({ at: ['stages', name, 'each'], message: rows });
      return [];
    }
    const parent = Object.hasOwn(flow.stages, each) ? flow.stages[each]! : undefined;
    const service = parent && servicesOf(flow, options, parent)[0]!;
    const operation = parent && operationOf(service!, parent);
    if (parent === undefined || service === undefined || operation === undefined) return [];
    const own = flow.stages[name]!;
    const list = fanOutOf(servicesOf(flow, options, own)[0]!, own)?.rows;
    if (list === undefined)
      return [{ ...rowsOfStage(parent, operation, fanOutOf(service, parent)), whose: `rows of stage ${each} (${operation.name})` }];
    const shape = rowShape(operation.spec.response, list, rowPlaceOf(operation, list)) ?? 'unknown';
    return [{ shape, kept: keptNames(parent), whose: `${list ?? 'data'} of stage ${each} (${operation.name})` }];
  });
}

/** The names of a stage's kept columns. */
function keptNames({ keep = {}, grid }: StageDefinition): ReadonlySet<string> {
  return new Set([...Object.keys(keep), ...(grid === undefined ? [] : pointColumns)]);
}

/** The rows of a file of seeds, or why it can't be read. */
function rowsOfFile(each: string, options: GivenCheckOptions): KnownRows | string {
  const file = resolve(options.folder ?? '.', each);
  try {
    const outside = outsideOf(each, options);
    if (outside !== undefined) return outside;
    const columns = readHeader(file, options.fileSystem);
    // A field may hold a list or an object, and a heading may contain dots.
    const shape = Object.fromEntries(columns.map((column) => [column, 'unknown' as const]));
    return { shape, kept: new Set(columns), whose: `rows of ${each}` };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? `there is no file ${basename(each)} in ${dirname(file)}` : `${each} can't be read: ${messageOf(error)}`;
  }
}

/** Why a file or a folder may not be used. A flow from somebody else must not read files outside its own folder. */
export function outsideOf(
  each: string,
  { folder, allowRead = [], fileSystem }: Pick<GivenCheckOptions, 'folder' | 'allowRead' | 'fileSystem'>,
): string | undefined {
  if (folder === undefined) return undefined; // the flow is part of the program that runs it
  const file = realPathOf(resolve(folder, each), fileSystem);
  return [folder, ...allowRead].some((one) => leadsInto(file, one, fileSystem))
    ? undefined
    : `${each} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${file})`;
}

/** The rows that a stage writes. */
export function rowsOfStage(stage: StageDefinition, operation: Operation, fanOut?: FanOutSpec): KnownRows {
  const { response, rows: list } = responseOf(operation, { ...fanOut?.with, ...stage.with });
  const path = stage.rows ?? list;
  const shape = rowShape(response, path, rowPlaceOf(operation, path)) ?? 'unknown';
  return { shape, kept: keptNames(stage), whose: `rows of ${operation.name}` };
}

/** Why a path finds nothing in these rows. With `value`: why it finds no single value. undefined if it is right. */
export function fieldFault(rows: KnownRows, { path, keys }: FieldPath, value: boolean = false): string | undefined {
  const { whose } = rows;
  if (rows.kept.has(keys[0]!) || rows.kept.has(path)) return undefined;
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

/** Whether a name looks like an API key. A seed file without a heading may begin with one, so such a name isn't shown. */
function mayBeKey(name: string): boolean {
  return /\d/.test(name) && (/[a-z\d+/]{16}/i.test(name) || (name.length >= 12 && name.replace(/\D/g, '').length >= 4));
}
