import type { Lazy } from '../../../operators/LazyRow.ts';
import type { FieldTest } from '../../../operators/rowConditions.ts';
import type { WalkOptions } from '../../../operators/walk/WalkOptions.ts';
import { answerOperation, type FanOutSpec, type Operation, type Service } from '../../contract/index.ts';
import type { FileSystem } from '../../sinks/index.ts';
import type { StageGrid } from '../split/gridParam.ts';
import type { StageSplit } from '../split/StageSplit.ts';
import type { KeptBinding, ParamBinding } from './parseBinding.ts';
import type { TimeForm } from '../../../operators/kit/writeTime.ts';
import type { FieldPath } from '../../../operators/kit/path.ts';
import {
  listed,
  type Expectations,
  type FlowDefinition,
  type OutputDefinition,
  type QueryParams,
  type StageDefinition,
} from './flowFormat.ts';
import { defaultService } from '../../defaultService.ts';

/** A checked flow, ready to be planned and run. */
export interface Flow {
  readonly name: string;
  readonly service: Service;
  /** All services that its stages are asked of, each once. */
  readonly services: readonly Service[];
  readonly definition: FlowDefinition;
  /** Digest of the normalized definition, with environment references resolved. */
  readonly digest: string;
  /** The folder that relative seed paths start from. */
  readonly folder: string;
  /** Folders and files outside of it that seeds and areas may come from. */
  readonly allowRead: readonly string[];
  /** The disk that it reads from, and that a run writes to unless it is told otherwise. */
  readonly fileSystem: FileSystem;
  /** Parents before their children. */
  readonly stages: readonly FlowStage[];
  readonly byName: ReadonlyMap<string, FlowStage>;
  readonly maxRequests: number;
  readonly failAbove: number;
  /** The same flow for a run that began at this moment, which `now` stands for. */
  readonly at: (now: number) => Flow;
}

export interface FlowStage {
  readonly name: string;
  readonly index: number;
  readonly definition: StageDefinition;
  readonly operation: Operation;
  readonly service: Service;
  /** The same stage at other services. They are asked in this order if this one is out. */
  readonly others: readonly FlowStage[];
  /** The ready-made fan-out that it calls, without the parameters that the stage sets itself. */
  readonly fanOut: FanOutSpec | undefined;
  readonly walk: WalkOptions;
  /** The longest path from a root. 0 for a root. */
  readonly depth: number;
  /** Stages whose rows it runs over. */
  readonly parents: readonly string[];
  /** Stages that run over its rows. */
  readonly children: readonly string[];
  /** Ready fan-outs over another list of its pages, or over their data. */
  readonly pageChildren: readonly string[];
  /** The seed file it runs over: an absolute path, or `-`. */
  readonly seeds: string | undefined;
  /** The values of `with`: parameters that the stage sets itself. */
  readonly with: readonly (readonly [param: string, values: readonly ParamBinding[]])[];
  /** Parameters whose values move on from run to run. They are no part of a query's identity. */
  readonly paramsOutsideIdentity: ReadonlySet<string>;
  /** Its queries depend on the clock. So each run looks for other rows, and a row that isn't found any more isn't gone. */
  readonly readsClock: boolean;
  /** Parameters without which there is no query. */
  readonly needs: ReadonlySet<string>;
  readonly keep: readonly (readonly [column: string, value: KeptBinding])[];
  readonly limit: number;
  readonly rows: string | undefined;
  /** Makes rows from the data of a response. undefined: the rows are a list in the response. */
  readonly unfold: ((data: unknown) => readonly object[]) | undefined;
  /** The conditions on the rows that lead to its queries. */
  readonly when: readonly FieldTest[];
  readonly where: readonly FieldTest[];
  /** The conditions on the row at which a query ends. Empty: a query doesn't end at a row. */
  readonly until: readonly FieldTest[];
  /** The fields to write, kept columns included. Empty: all. */
  readonly pick: readonly FieldPath[];
  /** Fields that are not written, where all others are. */
  readonly drop: readonly FieldPath[];
  readonly by: readonly FieldPath[];
  /** Several of its queries may find the same row. From this, the number of rows is estimated (`Sightings`). */
  readonly overlaps: boolean;
  /** Files in the output folder. */
  readonly outputs: readonly string[];
  /** The options of files that the flow gives some for. */
  readonly written: ReadonlyMap<string, Omit<OutputDefinition, 'file'>>;
  /** Where its rows go besides files. */
  readonly targets: readonly StageTarget[];
  readonly mode: 'merge' | 'replace';
  /** The fields of a row that must be read. undefined: the whole row is needed. */
  readonly fieldsNeeded: readonly string[] | undefined;
  /** Whether its rows may stay unparsed. */
  readonly keepsBytes: Lazy;
  readonly onError: 'skip' | 'fail';
  /** How it splits queries to get past the cap of a search. */
  readonly split: StageSplit | undefined;
  /** The points of an area at which it searches. */
  readonly grid: StageGrid | undefined;
  /** The expected number of rows of the queries made from an input row. */
  readonly claims: FieldPath | undefined;
  readonly tolerance: { readonly share: number; readonly rows: number };
  /** What identifies a row of a query. undefined: its queries are never walked again. */
  readonly identity: { readonly id: FieldPath | undefined } | undefined;
  /** How an update finds what is new. undefined: the stage is requested again in full. */
  readonly since: Since | undefined;
  /** The fields that identify a row when runs are compared. Empty: none do. */
  readonly key: readonly FieldPath[];
  /** Fields that change by themselves and don't make a row different. */
  readonly volatile: ReadonlySet<string>;
  readonly gone: 'keep' | 'drop';
  /** Its rows say when they were seen first and last. */
  readonly seen: boolean;
  /** The rows of all its runs are kept. */
  readonly series: boolean;
  readonly expect: Expectations | undefined;
  /** Fields whose filled values are counted. */
  readonly filled: readonly FieldPath[];
}

export interface Since {
  readonly field: FieldPath;
  /** The form of the times. undefined: dates, or times since 1970. */
  readonly as: TimeForm | undefined;
  readonly lookbackMs: number;
  /** The service is asked for the rows from a time on. undefined: queries are walked from the newest row to the first known one. */
  readonly serverFilter: AskedSince | undefined;
  /** How often an update requests everything. Infinity: never. */
  readonly fullEveryMs: number;
  readonly unless: FieldPath | undefined;
}

/** How the service is asked for what changed. */
interface AskedSince {
  /** The parameters that a query gets for rows from this time on. undefined: the bounds of its split begin there. */
  readonly paramsFrom: ((time: number) => QueryParams) | undefined;
}

/** A destination outside of the folder, as `to` names it. */
export interface StageTarget {
  /** `postgres:schema.table`. */
  readonly to: string;
  /** The part before the colon. */
  readonly scheme: string;
  readonly name: string;
}

/** The destination that `to` names. undefined: it is a file. One letter before the colon is a drive of Windows. */
export function destinationOf(to: string): StageTarget | undefined {
  const [, scheme, name] = /^([a-z][a-z0-9]+):(.*)$/s.exec(to) ?? [];
  return scheme === undefined || name === undefined ? undefined : { to, scheme, name };
}

/** The services of a flow that is loaded. */
export interface GivenServices {
  /** The service of a flow that names none. */
  readonly service?: Service | undefined;
  /** The services that a flow names, by these names. */
  readonly services?: { readonly [name: string]: Service } | undefined;
}

/** The services of a flow or a stage, in the order in which they are asked: its own, else the given one, else trawler's built-in one. */
export function servicesOf(
  { service }: Pick<FlowDefinition, 'service'>,
  given: GivenServices,
  stage?: Pick<StageDefinition, 'call' | 'service'>,
): readonly Service[] {
  const named = (name: FlowDefinition['service']): readonly Service[] =>
    typeof name === 'object' && 'operations' in name ? [name] : listed(name).flatMap((one) => given.services?.[one] ?? []);
  const own = named(stage?.service);
  const all = own.length > 0 ? own : named(service);
  const some = all.length > 0 ? all : [given.service ?? defaultService];
  const able = stage === undefined ? [] : some.filter((one) => operationOf(one, stage) !== undefined);
  return able.length > 0 ? able : some.slice(0, stage === undefined ? undefined : 1);
}

export function serviceOf(flow: Pick<FlowDefinition, 'service'>, given?: Service): Service {
  return servicesOf(flow, { service: given })[0]!;
}

/** The stage of a query, at the service that the query is sent to, if that is known. The page of runs knows only the first. */
export function stageOf({ byName }: Pick<Flow, 'byName'>, query: { readonly stage: string; readonly by?: number | undefined }): FlowStage {
  const stage = byName.get(query.stage)!;
  return query.by === undefined || query.by === 0 ? stage : (stage.others[query.by - 1] ?? stage);
}

/**
 * The operation that a stage's `call` names, directly or through a ready-made fan-out. Its rows are those of a table, if `rows` names
 * one.
 */
export function operationOf(
  { operations, fanOuts }: Service,
  { call, rows }: Pick<StageDefinition, 'call' | 'rows'>,
): Operation | undefined {
  const name = Object.hasOwn(fanOuts, call) ? fanOuts[call]!.call : call;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  return operation && (answerOperation(operation, rows) ?? operation);
}

/** The ready-made fan-out that a stage calls, without the parameters that the stage sets itself. */
export function fanOutOf({ fanOuts }: Service, { call, with: given = {} }: StageDefinition): FanOutSpec | undefined {
  const spec = Object.hasOwn(fanOuts, call) ? fanOuts[call]! : undefined;
  if (spec === undefined) return undefined;
  return { ...spec, with: Object.fromEntries(Object.entries(spec.with).filter(([param]) => !Object.hasOwn(given, param))) };
}
