import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Service } from '../../contract/index.ts';
import { FlowError } from '../../errors/index.ts';
import { checkFlow } from '../check/checkFlow.ts';
import { flowFaults } from '../check/flowFaults.ts';
import { rowShape, volatileFields, type Operation, type Service } from '../../contract/index.ts';
import { compileSplit } from '../split/compileSplit.ts';
import type { Binding, FieldPath } from './Binding.ts';
import type { Flow, FlowStage, Since } from './Flow.ts';
import type { FlowDefinition, ParamInput, StageDefinition } from './flowFormat.ts';
import { isJsonl } from './isJsonl.ts';
import { isSeeds } from './isSeeds.ts';
import { listed } from './listed.ts';
import { parseBinding, parsePath, type FlowEnv } from './parseBinding.ts';
import { fanOutOf, operationOf, serviceOf } from './serviceOf.ts';

export interface CompileFlowOptions {
  /** The folder that relative seed paths start from. @default the working directory */
  readonly folder?: string | undefined;
  /** The source text of the definition, to report lines and columns. @default none */
  readonly source?: string | undefined;
  /** The service if the flow names none. @default the built-in one */
  readonly service?: Service | undefined;
  /** More folders and files to allow seeds from, besides the flow's folder. '/' allows all. @default none; all, without `folder` */
  readonly allowRead?: readonly string[] | undefined;
  /** @default process.env */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

/** Checks a definition and compiles it to a flow. Throws a FlowError that lists every fault. */
export function compileFlow(definition: FlowDefinition, options: CompileFlowOptions = {}): Flow {
  const issues = checkFlow(definition, options);
  if (issues.length > 0) throw new FlowError(flowFaults(definition, issues));
  const folder = resolve(options.folder ?? '.');
  const env: FlowEnv = { values: options.env ?? process.env, allowed: definition.env ?? [] };
  const service = serviceOf(definition, options.service);
  const depths = depthsOf(definition);
  const names = Object.keys(definition.stages).sort((a, b) => depths.get(a)! - depths.get(b)!);
  const stages = names.map((name) => compileStage(name, definition, { service, folder, env, depth: depths.get(name)! }));
  return {
    name: definition.name,
    service,
    definition,
    digest: digestOfFlow(`${service.name}/${definition.name}`, stages),
    folder,
    stages,
    byName: new Map(stages.map((stage) => [stage.name, stage])),
    maxRequests: definition.maxRequests ?? Infinity,
    failAbove: definition.failAbove ?? 0.5,
  };
}

function compileStage(name: string, flow: FlowDefinition, service: Service, folder: string, env: FlowEnv, depth: number): FlowStage {
  const definition: StageDefinition = flow.stages[name]!;
  const fanOut = fanOutOf(service, definition);
  const operation = operationOf(service, definition.call)!;
  const bind = (input: ParamInput): Binding => parseBinding(input, env) as Binding;
  const each = listed(definition.each);
  const keep = Object.entries(definition.keep ?? {}).map(([column, input]) => [column, bind(input)] as const);
  const pick =
    definition.pick === undefined ? [] : [...definition.pick.map(field), ...keep.map(([column]) => ({ path: column, keys: [column] }))];
  const { id, order } = operation.spec;
  const split = compileSplit(definition, operation, folder, bind);
  const claims = definition.claims ?? fanOut?.claims;
  const canBeShort =
    definition.rows === undefined && definition.pages !== undefined && (claims !== undefined || operation.spec.claims !== undefined);
  const by = listed(definition.by).map(field);
  const keyPath = definition.since?.id ?? id;
  const own = by.length > 0 || keyPath === undefined || definition.rows !== undefined ? by : [field(keyPath)];
  const isWritten = ({ path }: FieldPath): boolean => pick.length === 0 || pick.some((one) => `${path}.`.startsWith(`${one.path}.`));
  const key = own.every(isWritten) ? own : [];
  const since = definition.since && compileSince(definition.since, operation);
  const newest = since !== undefined && order?.newest !== undefined ? { [order.param]: order.newest } : {};
  const seeds = each.length === 1 && isSeeds(each[0]!) ? each[0] : undefined;
  const params = Object.entries({ ...newest, ...definition.with }).map(
    ([param, values]) => [param, listed<ParamInput>(values).map(bind)] as const,
  );
  const where = Object.entries(definition.where ?? {}).map(([path, condition]) => [field(path), condition] as const);
  const rowKey = since === undefined && (by.length > 0 || split === undefined) ? by : own;
  const children = Object.keys(flow.stages).filter((other) => listed(flow.stages[other]!.each).includes(name));
  const outputs = listed(definition.to);
  const identity = canBeShort ? { id: id === undefined ? undefined : field(id) } : undefined;
  const read = [...where.map(([path]) => path), ...rowKey];
  const isOwn = ({ path, keys }: FieldPath): boolean => path === keys[0];
  const made = pick.length > 0 || definition.provenance === true || split !== undefined || since !== undefined;
  const asTheyCome = children.length === 0 && !made && outputs.every(isJsonl);
  return {
    name,
    definition,
    operation,
    fanOut,
    factory: walkFactoryOf(operation),
    walk: {
      maxPages: definition.pages === 'all' ? Infinity : (definition.pages ?? (split === undefined ? 1 : Infinity)),
      maxItems: definition.limit,
      cursorAt: definition.cursor,
      rows: definition.rows,
    },
    depth,
    parents: seeds === undefined ? each : [],
    children,
    seeds: seeds === undefined || seeds === '-' ? seeds : resolve(folder, seeds),
    with: params,
    needs: new Set([
      ...Object.keys(service.fanOuts[definition.call]?.with ?? {}),
      ...Object.keys(operation.params).filter((param) => operation.params[param]!.required),
    ]),
    keep,
    limit: definition.limit ?? Infinity,
    rows: definition.rows,
    where,
    pick,
    by: rowKey,
    outputs,
    reads:
      asTheyCome && [...read, ...(identity?.id === undefined ? [] : [identity.id])].every(isOwn)
        ? [...new Set(read.map(({ path }) => path))]
        : undefined,
    onError: definition.onError ?? 'aside',
    split,
    claims: claims === undefined ? undefined : field(claims.replace(/^\$\./, '')),
    tolerance: { share: definition.tolerance?.share ?? 0.05, rows: definition.tolerance?.rows ?? 3 },
    identity,
    orders:
      canBeShort && order !== undefined
        ? { param: order.param, values: operation.params[order.param]?.oneOf?.map(String) ?? [] }
        : undefined,
    since,
    owners: since === undefined ? [] : ownersOf(keep, params, fanOut),
    key,
    volatile: new Set(volatileFields(rowShape(operation.spec.response, definition.rows ?? operation.spec.list) ?? 'unknown')),
    gone: definition.gone ?? 'keep',
    seen: definition.seen ?? false,
    expect: definition.expect,
    filled: Object.keys(definition.expect?.filled ?? {}).map(field),
  };
}

function field(path: string): FieldPath {
  return parsePath(path)!;
}

const lookbackUnits: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function compileSince(since: NonNullable<StageDefinition['since']>, operation: Operation): Since {
  const { order } = operation.spec;
  const lookback = since.lookback ?? '7d';
  return {
    field: field((since.field ?? order?.time)!),
    lookbackMs: Number(lookback.slice(0, -1)) * lookbackUnits[lookback.slice(-1)]!,
    unless: since.unless === undefined ? undefined : field(since.unless.replace(/^\$\./, '')),
    order: order?.param,
  };
}

function ownersOf(keep: FlowStage['keep'], params: FlowStage['with'], fanOut: FlowStage['fanOut']): FlowStage['owners'] {
  return keep.flatMap(([name, kept]) => {
    if (kept.kind !== 'field') return [];
    const [own] = params.find(([, [value, more]]) => more === undefined && value?.kind === 'field' && value.path === kept.path) ?? [];
    const [ready] = Object.entries(fanOut?.with ?? {}).find(([, from]) => from === `$.${kept.path}`) ?? [];
    const param = own ?? ready;
    return param === undefined ? [] : [{ column: { path: name, keys: [name] }, param }];
  });
}

/** The operation in the form that a walk uses. */
function walkFactoryOf(operation: Operation): WalkFactory {
  const { paging, listUndocumented, claims } = operation.spec;
  return {
    name: operation.name,
    paging,
    claims,
    ...(listUndocumented === undefined ? {} : { listUndocumented }),
    paginationError: (message, details) => new PaginationError(message, { operation: operation.name, ...details }),
  };
}

/** The longest path from a root to each stage. */
function depthsOf(flow: FlowDefinition): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const depthOf = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const parents = listed(flow.stages[name]!.each).filter((each) => !isSeeds(each));
    const depth = parents.length === 0 ? 0 : 1 + Math.max(...parents.map(depthOf));
    depths.set(name, depth);
    return depth;
  };
  for (const name of Object.keys(flow.stages)) depthOf(name);
  return depths;
}

/** The identity of a flow: everything that decides what is requested and what is written. */
function digestOfFlow(name: string, stages: readonly FlowStage[]): string {
  const normal = stages.map((stage) => {
    // Settings about failures and missing rows, and how an update looks, may change from run to run.
    const { onError: _, gone: _gone, tolerance: _tolerance, expect: _expect, claims: _claims, pages = 1, ...definition } = stage.definition;
    const since = definition.since && { field: definition.since.field, id: definition.since.id };
    const deciding = { ...definition, since, pages, call: stage.operation.name, with: stage.with, fanOut: stage.fanOut, keep: stage.keep };
    return [stage.name, Object.entries(deciding).toSorted(([one], [other]) => (one < other ? -1 : 1))];
  });
  return createHash('sha256')
    .update(JSON.stringify([name, normal]))
    .digest('hex');
}
