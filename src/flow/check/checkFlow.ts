import { type FlowDefinition, listed, isSeeds, outputsIn } from '../definition/flowFormat.ts';
import { checkFlowOptions, type CheckFlowOptions, type FlowFault, type GivenCheckOptions } from './CheckFlowOptions.ts';
import { formatFaults, stageFaults } from './stageFaults.ts';
import { jsonLocations } from '../../../operators/kit/jsonLocations.ts';
import { outsideOf, fieldFault, rowsOfStage } from './inputRows.ts';
import { destinationOf, type StageTarget, fanOutOf, operationOf, servicesOf } from '../definition/Flow.ts';
import { depthsOf } from '../definition/depthsOf.ts';
import { dirname, isAbsolute, normalize } from 'node:path';
import { endingsInWords, fileKindOf } from '../../sinks/formats/fileFormats.ts';
import { portableFault, resolvePath } from '../../files/resolvePath.ts';
import { writingFault } from '../../sinks/checkOutputOptions.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { isObject, ownValue } from '../../../operators/kit/ownValue.ts';
import { instead, nearestName } from '../../contract/index.ts';
import { parsePath } from '../../../operators/kit/path.ts';
import { matchColumns } from '../definition/columnsOfStage.ts';
import { pointColumns } from '../split/gridParam.ts';

export type { CheckFlowOptions } from './CheckFlowOptions.ts';

export interface FlowIssue {
  /** Where in the definition: `stages.reviews.with.data_id`. */
  readonly path: string;
  /** Where in the file, counted from 1. Known for `.json` files. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly message: string;
}

/**
 * Returns all faults of a flow at once, each with its location and a suggested name if one is close. Reads the
 * heading of seed files. Sends no request.
 */
export function checkFlow(definition: unknown, options: CheckFlowOptions = {}): readonly FlowIssue[] {
  const given: GivenCheckOptions = checkFlowOptions.read('checkFlow', options);
  const format = formatFaults(definition);
  const faults: FlowFault[] = [...format];
  const unknown = unknownServices(definition, options);
  if (unknown.length > 0) {
    for (const at of unknown) faults.push({ at, message: 'only loadFlow finds a service by its name or file; give the service itself' });
  } else if (hasStages(definition)) {
    const names = Object.keys(definition.stages);
    if (names.length === 0) faults.push({ at: ['stages'], message: 'a flow needs at least one stage' });
    const flow = soundPart(definition, format);
    const meant = [
      ...graphFaults(flow, names),
      ...stageFaults(flow, given),
      ...outputFaults(flow, given),
      ...destinationFaults(flow, options.destinations),
      ...storeFaults(flow, given),
      ...headlineFaults(flow, given),
    ];
    faults.push(...meant.filter(({ at }) => !format.some((other) => at.every((key, i) => i >= other.at.length || key === other.at[i]))));
  }
  const locationOf = options.source === undefined ? undefined : jsonLocations(options.source);
  const order = new Map(hasStages(definition) ? Object.keys(definition.stages).map((name, index) => [name, index]) : []);
  const rank = ({ at }: FlowFault): number => (at[0] === 'stages' ? (order.get(String(at[1])) ?? -1) : -1);
  return faults
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ at, message }) => ({ path: at.join('.'), ...locationOf?.(at), message }));
}

/** The definition without the parts that aren't in the format, so that the rest can be checked. */
function soundPart(definition: FlowDefinition, faults: readonly FlowFault[]): FlowDefinition {
  const stages = Object.create(null) as { [stage: string]: { [key: string]: unknown } };
  for (const [name, stage] of Object.entries(definition.stages)) {
    stages[name] = { ...stage, ...(typeof stage?.with === 'object' ? { with: { ...stage.with } } : {}) };
  }
  for (const { at } of faults) {
    const [, stage, key, inner] = at;
    if (at[0] !== 'stages' || stage === undefined) continue;
    if (key === undefined || key === 'call') delete stages[stage];
    else if (inner === undefined || key !== 'with') delete stages[stage]?.[key];
    else delete (stages[stage]?.[key] as { [key: string]: unknown } | undefined)?.[inner];
  }
  return { ...definition, stages: stages as unknown as FlowDefinition['stages'] };
}

/** Where services are named that nobody has loaded. */
function unknownServices(definition: unknown, { service, services = {} }: CheckFlowOptions): readonly (readonly string[])[] {
  const isUnknown = (part: unknown): boolean =>
    isObject(part) && listed(ownValue(part, 'service')).some((name) => typeof name === 'string' && !Object.hasOwn(services, name));
  const stages = hasStages(definition) ? Object.entries(definition.stages) : [];
  return [
    ...(service === undefined && isUnknown(definition) ? [['service']] : []),
    ...stages.flatMap(([name, stage]) => (isUnknown(stage) ? [['stages', name, 'service']] : [])),
  ];
}

function hasStages(definition: unknown): definition is FlowDefinition {
  if (typeof definition !== 'object' || definition === null || !('stages' in definition)) return false;
  const { stages } = definition;
  return typeof stages === 'object' && stages !== null && !Array.isArray(stages);
}

/** A store that a link leads out of the flow's folder. */
function storeFaults({ store }: FlowDefinition, options: GivenCheckOptions): readonly FlowFault[] {
  const named: unknown = typeof store === 'object' ? store?.folder : store;
  const message = typeof named === 'string' && !named.includes('\0') ? outsideOf(named, options) : undefined;
  return message === undefined ? [] : [{ at: typeof store === 'object' ? ['store', 'folder'] : ['store'], message }];
}

/** The faults of the links between stages. `names` are all stages, including those too broken to check. */
function graphFaults(flow: FlowDefinition, names: readonly string[]): readonly FlowFault[] {
  const faults: FlowFault[] = [];
  const known = new Set(names);
  for (const [stage, { each }] of Object.entries(flow.stages)) {
    const sources = listed(each);
    if (sources.length > 1 && sources.some(isSeeds)) {
      faults.push({ at: ['stages', stage, 'each'], message: 'a seed file stands alone: name stages, or one seed file' });
    }
    sources.forEach((source, index) => {
      const at = ['stages', stage, 'each', ...(Array.isArray(each) ? [index] : [])];
      if (sources.indexOf(source) < index) faults.push({ at, message: `'${source}' is named twice` });
      if (isSeeds(source) || known.has(source)) return;
      const others = names.filter((name) => name !== stage);
      faults.push({
        at,
        message:
          `no stage is called '${source}', and it isn't a .csv, .tsv or .jsonl ` +
          `file${others.length === 0 ? '' : instead(source, others)}`,
      });
    });
  }
  const { circle } = depthsOf(Object.keys(flow.stages), (name) =>
    Object.hasOwn(flow.stages, name) ? listed(flow.stages[name]!.each) : [],
  );
  if (circle !== undefined) {
    faults.push({ at: ['stages', circle[0]!, 'each'], message: `stages run over each other in a circle: ${circle.join(' ← ')}` });
  }
  const onStdin = Object.entries(flow.stages).filter(([, { each }]) => listed(each).includes('-'));
  for (const [stage] of onStdin.slice(1))
    faults.push({ at: ['stages', stage, 'each'], message: `standard input is read by stage ${onStdin[0]![0]} already` });
  return faults;
}

/** Files and folders that a run makes for itself. */
const reserved = /^((failures|empty|rejected)\.jsonl|datapackage\.json|report\.html|\.trawler|changes)([/\\].*)?$/i;

/** The faults of the files that stages write to. With `outDir`, links are checked too. */
function outputFaults(flow: FlowDefinition, options: GivenCheckOptions): readonly FlowFault[] {
  const faults: FlowFault[] = [];
  const taken = new Map<string, string>();
  const tables = new Map<string, { readonly stage: string; readonly isNamed: boolean }>();
  /** The names that files have when they are finished and while they are written. */
  const names = new Map<string, string>();
  /** The folders that they are in, each with one of its files. */
  const folders = new Map<string, string>();
  for (const [stage, { to }] of Object.entries(flow.stages)) {
    for (const { file, at: where, options: written } of outputsIn(to)) {
      if (destinationOf(file) !== undefined) continue;
      const at = ['stages', stage, 'to', ...where];
      const message = fileFault(file, options) ?? writingFault(fileKindOf(file)!.format, written);
      if (message !== undefined) {
        faults.push({ at, message });
        continue;
      }
      const path = normalize(file).toLowerCase(); // the same file on systems that ignore case
      const above = foldersOf(path);
      const own = [path, `${path}.part`];
      const others = [...own.flatMap((name) => [names.get(name), folders.get(name)]), ...above.map((folder) => names.get(folder))];
      const within = others.find((other) => other !== undefined && other !== path);
      if (within !== undefined) faults.push({ at, message: `'${file}' and '${within}' can't both be: one is the folder of the other` });
      const other = taken.get(path);
      if (other !== undefined && (other === stage || fileKindOf(file)?.tables !== true))
        faults.push({
          at,
          message:
            other === stage
              ? `'${file}' is named twice`
              : `'${file}' is written by stage ${other} already: two stages can't share a file, unless it is a database`,
        });
      taken.set(path, stage);
      const table = `${path}\0${(written.table ?? stage).toLowerCase()}`;
      const first = tables.get(table);
      if (first !== undefined && first.stage !== stage && (written.table !== undefined || first.isNamed))
        faults.push({ at, message: `'${file}' has the table '${written.table ?? stage}' of stage ${first.stage} already` });
      tables.set(table, { stage, isNamed: written.table !== undefined });
      for (const name of own) names.set(name, path);
      for (const folder of above) folders.set(folder, path);
    }
  }
  return faults;
}

/** The folders that a path is in, the innermost first. */
function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function fileFault(file: string, { outDir, fileSystem }: GivenCheckOptions): string | undefined {
  if (file.includes('\0')) return `${JSON.stringify(file)} contains a NUL character, which no path may`;
  if (isAbsolute(file) || /^[A-Za-z]:/.test(file)) return `'${file}' is absolute: files stay in the output folder`;
  if (file.split(/[/\\]/).includes('..')) return `'${file}' leaves the folder with '..': files stay in the output folder`;
  if (reserved.test(normalize(file))) return `'${file}' is a name that a run needs for itself`;
  for (const name of file.split(/[/\\]/)) {
    const fault = portableFault(name);
    if (fault !== undefined) return `'${file}' can't be a file on every system: ${fault}`;
  }
  if (fileKindOf(file) === undefined) return `the ending of '${file}' names no format: use ${endingsInWords()}`;
  if (outDir === undefined) return undefined;
  try {
    resolvePath(file, outDir, fileSystem);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The destinations that come with trawler. */
const builtIn = ['postgres'];

/** The faults of the destinations that stages name. `more`: those that the program brings. */
function destinationFaults(flow: FlowDefinition, more: readonly string[] = []): readonly FlowFault[] {
  const known = [...builtIn, ...more];
  const taken = new Map<string, { readonly stage: string; readonly to: string }>();
  return Object.entries(flow.stages).flatMap(([stage, { to, mode }]) => {
    const targets = outputsIn(to).flatMap(({ file, at, options }) => {
      const target = destinationOf(file);
      return target === undefined ? [] : [{ target, at: ['stages', stage, 'to', ...at], options: Object.keys(options) }];
    });
    const faults = targets.flatMap(({ target, at, options }): FlowFault[] => {
      const [option] = options;
      if (option !== undefined) return [{ at: [...at, option], message: `'${option}' is about a file, and '${target.to}' isn't one` }];
      const other = taken.get(tableNamed(target));
      taken.set(tableNamed(target), { stage, to: target.to });
      const shared = other === undefined ? undefined : sharedFault(target.to, stage, other);
      const message = targetFault(target, known) ?? shared;
      return message === undefined ? [] : [{ at, message }];
    });
    if (mode !== undefined && targets.length === 0)
      faults.push({
        at: ['stages', stage, 'mode'],
        message: "'mode' is about a destination such as postgres:reviews, and 'to' names none",
      });
    return faults;
  });
}

/** The table that a destination means. A name without a schema is in `public`. */
function tableNamed({ to, scheme, name }: StageTarget): string {
  return scheme === 'postgres' && !name.includes('.') ? `postgres:public.${name}` : to;
}

function sharedFault(to: string, stage: string, other: { readonly stage: string; readonly to: string }): string {
  const how = other.stage === stage ? 'named twice' : `written by stage ${other.stage} already`;
  return other.to === to ? `'${to}' is ${how}` : `'${to}' is ${how}, as '${other.to}'. If they are two tables, write the schema of both`;
}

function targetFault({ to, scheme, name }: StageTarget, known: readonly string[]): string | undefined {
  if (!known.includes(scheme)) {
    const nearest = nearestName(scheme, known);
    return (
      `'${to}' names no destination: there is ` +
      `${known.join(', ')}${nearest === undefined ? '' : `; did you mean '${nearest}:${name}'?`}`
    );
  }
  if (scheme === 'postgres' && !/^[^.\0]+(\.[^.\0]+)?$/.test(name))
    return `'${to}' isn't a table: write postgres:table or postgres:schema.table`;
  return undefined;
}

const addedColumns: ReadonlySet<string> = new Set(['seen_at', 'first_seen', 'last_seen', ...pointColumns]);

/** The columns that only the row has that a query looks for. */
const columnsOfMatch: ReadonlySet<string> = new Set(matchColumns.map(({ path }) => path));

/** The faults of what a flow shows first. */
function headlineFaults(flow: FlowDefinition, options: GivenCheckOptions): readonly FlowFault[] {
  const { headline = [] } = flow;
  const isList = Array.isArray(headline);
  const all = (isList ? headline : [headline]) as readonly Exclude<NonNullable<FlowDefinition['headline']>, readonly unknown[]>[];
  return all.flatMap((one, index) => {
    const at = ['headline', ...(isList ? [index] : [])];
    const kinds = (['table', 'series', 'map'] as const).filter((kind) => one[kind] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) return [{ at, message: 'a headline has one of table, series and map' }];
    if (kind !== 'table' && one.of === undefined) return [{ at, message: `a ${kind} needs of: the column whose numbers it shows` }];
    if (kind === 'table' && one.each === undefined) return [{ at, message: 'a table needs each: the columns of its lines' }];
    const shown = (['of', 'average', 'share'] as const).filter((key) => one[key] !== undefined);
    const other = shown.find((key) => key !== 'of' && (kind !== 'table' || shown.length > 1));
    if (other !== undefined) {
      const shownToo = shown.find((key) => key !== other) ?? 'of';
      return [{ at: [...at, other], message: `${other} is for a table, instead of ${shownToo}` }];
    }
    if (one.over !== undefined && kind !== 'series') return [{ at: [...at, 'over'], message: 'over is for a series' }];
    const files = new Map(Object.values(flow.stages).flatMap((stage) => outputsIn(stage.to).map(({ file }) => [file, stage] as const)));
    const stage = files.get(one[kind]!);
    if (stage === undefined)
      return [{ at: [...at, kind], message: `no stage writes '${one[kind]}'${instead(one[kind]!, [...files.keys()], '')}` }];
    const service = servicesOf(flow, options, stage)[0]!;
    const operation = operationOf(service, stage);
    if (operation === undefined) return [];
    const rows = rowsOfStage(stage, operation, fanOutOf(service, stage));
    return (['of', 'average', 'each', 'share', 'over'] as const).flatMap((key) =>
      listed(one[key]).flatMap((name) => {
        const path = parsePath(name);
        const isAdded = addedColumns.has(name) || (stage.until !== undefined && columnsOfMatch.has(name));
        const message = isAdded ? undefined : path === undefined ? `'${name}' is no column` : fieldFault(rows, path, true);
        return message === undefined ? [] : [{ at: [...at, key], message }];
      }),
    );
  });
}
