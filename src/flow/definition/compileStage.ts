import { resolve } from 'node:path';
import { destinationOf, type FlowStage, type GivenServices, type Since, fanOutOf, operationOf, servicesOf } from './Flow.ts';
import { type FlowDefinition, isDropped, listed, isSeeds, outputsIn, type ParamInput, type StageDefinition } from './flowFormat.ts';
import { type FlowEnv, type ParamBinding, type Binding, type KeptBinding, parseBinding, queryParamIn, isTimed } from './parseBinding.ts';
import { paramBindings } from './paramBindings.ts';
import type { Lazy } from '../../../operators/LazyRow.ts';
import {
  answerRows,
  isPaid,
  pagingKindOf,
  rowPlaceOf,
  rowShape,
  timesOf,
  volatileFields,
  type Operation,
  type Service,
} from '../../contract/index.ts';
import { compileGrid, pointKeep } from '../split/gridParam.ts';
import { splitKindOf } from '../split/splitKinds.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { testsOf } from '../../../operators/rowConditions.ts';
import { isPartOf, parsePath, type FieldPath } from '../../../operators/kit/path.ts';
import { fileKindOf, holdsRows } from '../../sinks/formats/fileFormats.ts';
import type { FileSystem } from '../../sinks/index.ts';
import { isoTime, type TimeForm } from '../../../operators/kit/writeTime.ts';
import { isBounded } from '../split/daysAxis.ts';
import { parseAge } from '../../../operators/kit/days.ts';

interface CompileStageOptions {
  readonly service: Service;
  readonly services: GivenServices;
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly fileSystem: FileSystem;
  readonly env: FlowEnv;
  readonly index: number;
  readonly depth: number;
  /** The stages that run over it. */
  readonly children: readonly string[];
}

/** Compiles one stage of a checked flow. */
export function compileStage(
  name: string,
  flow: FlowDefinition,
  { service, services, folder, fileSystem, env, index, depth, children }: CompileStageOptions,
): FlowStage {
  const definition: StageDefinition = flow.stages[name]!;
  const fanOut = fanOutOf(service, definition);
  const operation = operationOf(service, definition)!;
  const unfold = answerRows(operation, definition.rows);
  const rowsAt = unfold === undefined ? definition.rows : undefined; // a table is made from the whole response
  const bind = (input: ParamInput): Binding => parseBinding(input, env) as Binding;
  const split = splitKindOf(definition)?.compile(definition, operation, { folder, fileSystem, bind, now: env.now });
  const { pages = split === undefined && isPaid(service.price, operation.name) ? 1 : 'all' } = definition;
  const maxPages = pages === 'all' ? Infinity : pages;
  const grid = compileGrid(definition, operation, { folder, fileSystem, bind });
  const outputs = outputsIn(definition.to).filter(({ file }) => destinationOf(file) === undefined);
  const each = listed(definition.each);
  const seeds = each.length === 1 && isSeeds(each[0]!) ? each[0] : undefined;
  const keep = [
    ...(grid === undefined ? [] : pointKeep(grid)),
    ...Object.entries(definition.keep ?? {}).map(([column, input]) => [column, keptBinding(input, operation, bind)] as const),
  ];
  const since = definition.since && compileSince(definition, operation, env.zone);
  const own = paramsOf(definition, operation, env);
  const params = grid === undefined ? own : [...own, [grid.param, grid.values] as const];
  const picked = (definition.pick ?? []).filter((one) => !isDropped(one));
  const claims = fanOut?.claims;
  const list = definition.rows ?? operation.spec.rows;
  const runsOverPages = (child: string): boolean => {
    const below = flow.stages[child]!;
    return fanOutOf(servicesOf(flow, services, below)[0]!, below)?.rows !== undefined;
  };
  const stage = {
    name,
    index,
    definition,
    operation,
    service,
    others: [],
    fanOut,
    walk: {
      maxPages,
      maxItems: definition.limit,
      rows: rowsAt,
      claimed: undefined, // set for each page in a spread copy. Adding a new field there would take V8 a microsecond.
    },
    depth,
    parents: seeds === undefined ? each : [],
    children: children.filter((child) => !runsOverPages(child)),
    pageChildren: children.filter(runsOverPages),
    seeds: seeds === undefined || seeds === '-' ? seeds : resolve(folder, seeds),
    with: params,
    paramsOutsideIdentity: paramsOutsideIdentity(definition, operation),
    readsClock: isTimed([definition.with, definition.split]),
    needs: new Set([
      ...Object.keys(service.fanOuts[definition.call]?.with ?? {}),
      ...Object.keys(operation.params).filter((param) => operation.params[param]!.required),
    ]),
    keep,
    limit: definition.limit ?? Infinity,
    rows: rowsAt,
    unfold,
    when: testsOf('when', definition.when ?? {}),
    where: testsOf('where', definition.where ?? {}),
    until: testsOf('until', definition.until ?? {}),
    pick: picked.length === 0 ? [] : [...picked.map(field), ...keep.map(([column]) => ({ path: column, keys: [column] }))],
    drop: (definition.pick ?? []).filter(isDropped).map((one) => field(one.slice(1))),
    outputs: outputs.map(({ file }) => file),
    written: new Map(outputs.map(({ file, options }) => [file, options])),
    targets: outputsIn(definition.to).flatMap(({ file }) => destinationOf(file) ?? []),
    mode: definition.mode ?? 'merge',
    onError: definition.onError ?? 'skip',
    split,
    grid,
    claims: claims === undefined ? undefined : field(claims.replace(/^\$\./, '')),
    tolerance: { share: definition.tolerance?.share ?? 0.05, rows: definition.tolerance?.rows ?? 3 },
    since,
    volatile: new Set([
      ...volatileFields(rowShape(operation.spec.response, list, rowPlaceOf(operation, list)) ?? 'unknown'),
      ...(definition.until === undefined ? [] : ['page']), // left out, because the rank says the same more exactly
    ]),
    gone: definition.gone ?? 'keep',
    seen: definition.seen === true,
    series: definition.seen === 'series',
    expect: definition.expect,
    filled: Object.keys(definition.expect?.filled ?? {}).map(field),
  } as const;
  const identified = { ...stage, ...keysOf(stage), identity: identityOf(stage) };
  const fieldsNeeded = fieldsNeededOf(identified);
  return { ...identified, fieldsNeeded, keepsBytes: keepsBytesOf(identified, fieldsNeeded) };
}

function keptBinding(input: ParamInput, { params }: Operation, bind: (input: ParamInput) => Binding): KeptBinding {
  const param = queryParamIn(input);
  if (param === undefined) return bind(input);
  const { type } = params[param]!;
  return { kind: 'query', param, type: type === 'strings' || type === 'object' || type === 'array' ? undefined : type };
}

/** The values that the stage sets itself. An update that goes to known rows needs the newest first. */
function paramsOf(stage: StageDefinition, operation: Operation, env: FlowEnv): FlowStage['with'] {
  const { since, with: given = {} } = stage;
  const { order } = operation.spec;
  const isOrdered = since !== undefined && order !== undefined && askedBy(stage, operation) === undefined;
  return Object.entries({ ...(isOrdered && order), ...given }).map(([param, input]) => {
    const bindings = paramBindings(input, { param: ownValue(operation.params, param), given, env });
    return [param, bindings as readonly ParamBinding[]] as const;
  });
}

/** The fields that identify a row: within the stage (`by`), and when runs are compared (`key`). */
function keysOf(stage: StageParts): Pick<FlowStage, 'by' | 'key' | 'overlaps'> {
  const { definition, operation, pick, drop, since, split } = stage;
  const by = listed(definition.by).map(field);
  const id = definition.since?.id ?? operation.spec.id;
  const own = by.length > 0 || id === undefined || definition.rows !== undefined ? by : [field(id)];
  const isWritten = (one: FieldPath): boolean => (pick.length === 0 || isPartOf(one, pick)) && !isPartOf(one, drop);
  const unique = since === undefined && (by.length > 0 || split === undefined) ? by : own;
  const overlaps = by.length > 0 && [split, since, definition.until].every((one) => one === undefined);
  return { by: unique, key: own.every(isWritten) ? own : [], overlaps };
}

/** What identifies the rows of a query. Only for queries that may be walked again: they can be short, or the service counts their pages. */
function identityOf({ definition, operation, claims, walk }: StageParts): FlowStage['identity'] {
  const { id, claims: claimed, paging } = operation.spec;
  const isWalked = definition.rows === undefined && walk.maxPages !== 1;
  const canBeShort = claims !== undefined || claimed !== undefined;
  const startsOver = id !== undefined && pagingKindOf(paging).tokenRepeats;
  return isWalked && (canBeShort || startsOver) ? { id: id === undefined ? undefined : field(id) } : undefined;
}

/** The fields to read of rows that stay bytes. undefined: rows are needed whole. */
function fieldsNeededOf(stage: Omit<FlowStage, 'fieldsNeeded' | 'keepsBytes'>): FlowStage['fieldsNeeded'] {
  const { definition, children, pageChildren, outputs, pick, drop, split, since, seen, series, where, until, by, identity, unfold } = stage;
  const needsWholeRows =
    unfold !== undefined ||
    until.length > 0 ||
    pick.length + drop.length > 0 ||
    definition.provenance === true ||
    split !== undefined ||
    since !== undefined ||
    seen ||
    series;
  if (needsWholeRows || children.length + pageChildren.length > 0 || !outputs.every(takesLazyRows)) return undefined;
  const read = [...where.map(([path]) => path), ...by];
  const isOwn = ({ path, keys }: FieldPath): boolean => path === keys[0];
  if (![...read, ...(identity?.id === undefined ? [] : [identity.id])].every(isOwn)) return undefined;
  return [...new Set(read.map(({ path }) => path))];
}

/** Whether rows may stay bytes. For JSONL, only the fields that the stage reads are parsed, such as the id and expected fields. */
function keepsBytesOf(
  { outputs, keep, filled, identity }: Omit<FlowStage, 'fieldsNeeded' | 'keepsBytes'>,
  fieldsNeeded: FlowStage['fieldsNeeded'],
): Lazy {
  if (fieldsNeeded === undefined || !outputs.every(holdsRows)) return fieldsNeeded !== undefined;
  const ids = identity?.id === undefined ? [] : [identity.id.path];
  return [
    ...new Set([...fieldsNeeded, ...ids, ...keep.map(([column]) => column), ...filled.flatMap(({ path, keys }) => [path, keys[0]!])]),
  ];
}

/** JSONL and CSV copy the bytes of rows. The other formats read values. */
function takesLazyRows(path: string): boolean {
  return fileKindOf(path)?.text === true;
}

type StageParts = Omit<FlowStage, 'by' | 'key' | 'overlaps' | 'identity' | 'fieldsNeeded' | 'keepsBytes'>;

function field(path: string): FieldPath {
  return parsePath(path)!;
}

/** How far back an update looks for late rows, by default. */
const usualLookback = '7d';

/** When a row is from, as a stage or its operation says. */
export function timeSpecOf(
  { since }: StageDefinition,
  { spec: { time } }: Operation,
): { readonly at: string; readonly as?: TimeForm } | undefined {
  if (since?.field !== undefined) return { at: since.field };
  return typeof time === 'string' ? { at: time } : time;
}

/** How an update asks the service for what changed: by a time, or by the bounds that a query needs anyway. undefined: it can't. */
export function askedBy(stage: StageDefinition, operation: Operation): 'since' | 'bounds' | undefined {
  if (timesOf(operation).includes('since')) return 'since';
  return isBounded(stage, operation) ? 'bounds' : undefined;
}

function compileSince(stage: StageDefinition, operation: Operation, zone: string): Since {
  const { unless, lookback = usualLookback, fullEvery } = stage.since!;
  const { at, as } = timeSpecOf(stage, operation)!;
  const filter = askedBy(stage, operation);
  return {
    field: field(at),
    as,
    lookbackMs: parseAge(lookback)!,
    unless: unless === undefined ? undefined : field(unless.replace(/^\$\./, '')),
    fullEveryMs: fullEvery === undefined ? Infinity : parseAge(fullEvery)!,
    serverFilter: filter && { paramsFrom: filter === 'bounds' ? undefined : (time) => ({ since: isoTime(time, zone) }) },
  };
}

function paramsOutsideIdentity(stage: StageDefinition, operation: Operation): ReadonlySet<string> {
  const { with: given = {}, since } = stage;
  const timed = Object.keys(given).filter((param) => isTimed(given[param]));
  const ofSince =
    since === undefined ? [] : [...Object.keys(operation.spec.order ?? {}), askedBy(stage, operation) === 'since' ? 'since' : undefined];
  const bounds = isBounded(stage, operation) ? ['from', 'to'] : [];
  return new Set([...timed, ...bounds, ...ofSince.filter((param) => param !== undefined)]);
}
