import { countOf } from '../../../operators/kit/countOf.ts';
import { sha256 } from '../../files/blocks.ts';
import { resolve } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import { checkFlow, type CheckFlowOptions, type FlowIssue } from '../check/checkFlow.ts';
import { checkFlowOptions } from '../check/CheckFlowOptions.ts';
import { depthsOf } from './depthsOf.ts';
import { compileStage } from './compileStage.ts';
import { type Flow, type FlowStage, servicesOf } from './Flow.ts';
import { type FlowDefinition, listed, isSeeds } from './flowFormat.ts';
import { type FlowEnv, isTimed } from './parseBinding.ts';

export type CompileFlowOptions = Omit<CheckFlowOptions, 'outDir'>;

/** Checks a definition and compiles it to a flow. Throws a FlowError that lists every fault. */
export function compileFlow(definition: FlowDefinition, options: CompileFlowOptions = {}): Flow {
  const issues = checkFlow(definition, options);
  if (issues.length > 0) throw new FlowError(flowFaults(definition, issues));
  return compileChecked(definition, options);
}

/** Compiles a definition that was checked before. Reads no seeds. Reads areas that are in files. */
export function compileChecked(definition: FlowDefinition, options: CompileFlowOptions): Flow {
  const asWritten = compileAt(definition, options, undefined);
  const { digest } = asWritten;
  const at = (now: number): Flow => (readsClock(definition) ? { ...compileAt(definition, options, now), digest, at } : flow);
  const flow = { ...asWritten, at };
  return flow;
}

/** Whether a value of the flow depends on the time of a run. */
function readsClock({ stages }: FlowDefinition): boolean {
  return isTimed(stages) || Object.values(stages).some(({ split }) => split?.from !== undefined && (split.by ?? split.to) === undefined);
}

/** `now`: when the run began. undefined: values that depend on it stay as they are written. */
function compileAt(definition: FlowDefinition, options: CompileFlowOptions, now: number | undefined): Omit<Flow, 'at'> {
  const folder = resolve(options.folder ?? '.');
  const { fileSystem } = checkFlowOptions.read('compileFlow', options);
  const env: FlowEnv = { values: options.env ?? process.env, allowed: definition.env ?? [], now, zone: definition.timeZone ?? 'UTC' };
  const { depths } = depthsOf(Object.keys(definition.stages), (name) =>
    listed(definition.stages[name]!.each).filter((one) => !isSeeds(one)),
  );
  const children = childrenOf(definition);
  const names = Object.keys(definition.stages).sort((a, b) => depths.get(a)! - depths.get(b)!);
  const given = { services: options, folder, fileSystem, env };
  const stages = names.map((name, index) => {
    const all = servicesOf(definition, options, definition.stages[name]!).map((each) =>
      compileStage(name, definition, { ...given, service: each, index, depth: depths.get(name)!, children: children.get(name)! }),
    );
    const [first, ...others] =
      all.length === 1 ? all : all.map((stage) => ({ ...stage, keepsBytes: false as const, fieldsNeeded: undefined }));
    return { ...first!, others };
  });
  const own = servicesOf(definition, options);
  const used = [...new Set(stages.flatMap((stage) => [stage, ...stage.others].map((each) => each.service)))];
  const service = own.find((each) => used.includes(each)) ?? used[0]!;
  return {
    name: definition.name,
    service,
    services: [service, ...used.filter((each) => each !== service)],
    definition,
    digest: digestOfFlow(`${own.map((each) => each.name).join()}/${definition.name}`, stages),
    folder,
    allowRead: (options.allowRead ?? []).map((path) => resolve(path)),
    fileSystem,
    stages,
    byName: new Map(stages.map((stage) => [stage.name, stage])),
    maxRequests: definition.maxRequests ?? Infinity,
    failAbove: definition.failAbove ?? 0.5,
  };
}

/** The stages that run over each stage's rows. */
function childrenOf(flow: FlowDefinition): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>(Object.keys(flow.stages).map((name) => [name, []]));
  for (const [name, { each }] of Object.entries(flow.stages)) for (const parent of listed(each)) children.get(parent)?.push(name);
  return children;
}

/** The identity of a flow: everything that decides what is requested and what is written. */
function digestOfFlow(name: string, stages: readonly FlowStage[]): string {
  const normal = stages.map((stage) => {
    // These settings may change from run to run: how to treat failures and missing rows, and how far back an update reads.
    const { onError: _, gone: _gone, tolerance: _tolerance, expect: _expect, ...definition } = stage.definition;
    const since = definition.since && { field: definition.since.field, id: definition.since.id };
    const { operation, with: query, fanOut, keep, walk } = stage;
    const deciding = { ...definition, since, pages: walk.maxPages, call: operation.name, with: query, fanOut, keep };
    return [stage.name, Object.entries(deciding).toSorted(([one], [other]) => (one < other ? -1 : 1))];
  });
  return sha256()
    .update(JSON.stringify([name, normal]))
    .digest('hex');
}

/** The message of a flow that can't be run: all faults, each with its location. */
function flowFaults(definition: unknown, issues: readonly FlowIssue[]): string {
  const name = typeof definition === 'object' && definition !== null && 'name' in definition ? ` ${String(definition.name)}` : '';
  const lines = issues.map(({ path, line, column, message }) => {
    const where = [line === undefined ? undefined : `${line}:${column}`, path === '' ? undefined : path]
      .filter((one) => one !== undefined)
      .join(' ');
    return `  ${where === '' ? '' : `${where}: `}${message}`;
  });
  return `flow${name} has ${countOf(issues.length, 'fault')}; no request was sent\n${lines.join('\n')}`;
}
