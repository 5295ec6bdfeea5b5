import { ownValue } from '../../../operators/kit/ownValue.ts';
import { quickDigest } from '../../../operators/kit/quickDigest.ts';
import { LazyRow, keepLazily } from '../../../operators/LazyRow.ts';
import type { PageLike, WalkEvent } from '../../../operators/PageLike.ts';
import { entriesOf, type Operation } from '../../contract/index.ts';
import type { DoubtResult } from '../../../operators/walk/Doubt.ts';
import type { SecondLooks } from '../../../operators/walk/SecondLooks.ts';
import { idMark } from '../../../operators/walk/markOf.ts';
import { claimIn } from '../../../operators/walk/readPage.ts';
import { bothPlaces, type RowPlaces } from '../../../operators/split/RowPlaces.ts';
import type { PieceRows } from '../../../operators/split/RangeSweep.ts';
import { walkLimit } from '../../../operators/split/RowCap.ts';
import { stepWalk } from '../../../operators/walk/stepWalk.ts';
import type { WalkOptions } from '../../../operators/walk/WalkOptions.ts';
import type { WalkMove, WalkState } from '../../../operators/walk/WalkState.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { isOutside, spotsOf } from '../../../operators/split/AreaSpec.ts';
import type { TilePage } from '../split/StageCovers.ts';
import type { SplitQuery } from '../split/StageSplit.ts';
import { liesIn, tileOf } from '../split/tileOf.ts';
import { bindQueries, keptColumns, unlessOf, pickFields } from './bindQueries.ts';
import { type FoundQuery, type StageQuery, keyOf } from './StageQuery.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { isWanted } from './isWanted.ts';
import { valuesAt } from '../../contract/valuesAt.ts';
import type { WalkFault } from '../../../operators/walk/WalkStep.ts';
import { PaginationError } from '../../errors/index.ts';

/** The result of one page of one query. */
export interface Step {
  readonly rows: readonly StepRow[];
  /** Queries that the page itself leads to, independent of its rows. */
  readonly found: readonly FoundQuery[];
  /** Rows of the page, wanted or not. */
  readonly received: number;
  /** Rows that aren't objects, so no file can take them. */
  readonly unusable: number;
  /** Rows left out because they lie outside the area. */
  readonly outside: number;
  /** Where the page's rows lie, in or outside the area, and how many there are. Set for a tile of an area. */
  readonly tile?: Pick<TilePage, 'spots' | 'rows'> | undefined;
  /** Where the page's rows lie. Set for a piece of a range. */
  readonly places?: RowPlaces | undefined;
  /** The next state of the query's walk … */
  readonly next?: WalkState<QueryParams> | undefined;
  /** What the page did to its walk, for the journal. */
  readonly move?: WalkMove | undefined;
  /** … or it has ended … */
  readonly end?: 'complete' | 'capped' | undefined;
  /** How many rows there are in all, where an ended walk knows; and how many different ones this walk has had. */
  readonly claimed?: number | undefined;
  readonly got: number;
  /** The id of each row of the page, wanted or not, if ids matter. */
  readonly ids: readonly number[];
  /** … or it can't continue. `delivered`: the rows of the page count nevertheless. */
  readonly failure?: { readonly error: Error; readonly delivered: boolean } | undefined;
  readonly notices: readonly WalkEvent[];
  /** The query was full, and narrower ones follow. */
  readonly wide?: true | undefined;
  /** What the page tells of a doubt, for the second looks of its operation. */
  readonly doubted?: DoubtResult | undefined;
}

export interface StepRow {
  /** The row as written. */
  readonly row: object;
  /** The key that identifies it. undefined if rows aren't deduplicated. */
  readonly key: bigint | undefined;
  /** The key by which it is counted how many queries found it. undefined if that isn't counted. */
  readonly counted: bigint | undefined;
  /** It lies outside the tile that was searched. */
  readonly beside: boolean;
  /** Its index in the page's `ids`. */
  readonly id: number | undefined;
  /** Queries that it leads to. */
  readonly found: readonly FoundQuery[];
}

/**
 * One step of a flow: turns a page of a query into rows, the queries found in them, and the query's next state.
 *
 * It only computes, so it works the same on one machine and on many. The caller requests the pages, avoids repeating
 * earlier work, and makes rows and state safe together.
 */
export function stepQuery(flow: Flow, query: StageQuery, page: PageLike, looks?: SecondLooks): Step {
  const stage = stageOf(flow, query.stage);
  const step = stepWalk(stage.operation.spec, query.walk, page, walkOptionsOf(stage, query), looks);
  const { notices, got } = step;
  const delivered = step.kind !== 'error' || step.deliver;
  const received = step.rows.length;
  const room = stage.limit - query.walk.items;
  const came = !delivered ? [] : received > room ? step.rows.slice(0, room) : step.rows;
  const items = query.delivered === undefined ? came : [];
  const split = stage.split;
  const area = split?.kind === 'area' ? split.areaOf(query.tile?.area) : undefined;
  const leaveOut =
    area !== undefined && split?.kind === 'area' && split.clip ? (row: object) => isOutside(row, area, split.spec) : undefined;
  const { rows, ids, unusable, outside } = rowsOf(flow, stage, query, items, page, leaveOut);
  const found = delivered && query.delivered === undefined ? foundInPage(flow, stage, query, page) : none;
  const seen = split?.kind === 'range' && query.delivered === undefined ? split.placesOf(query, items) : undefined;
  const places = bothPlaces(query.places, seen) ?? {};
  const base: Step = {
    rows,
    found,
    received,
    unusable,
    outside,
    // a tile whose walk starts over counts its rows anew
    tile: split?.kind === 'area' ? { spots: spotsOf(came, split.spec, stage.operation.spec.id), rows: came.length } : undefined,
    places: seen,
    next: undefined,
    move: undefined,
    end: undefined,
    claimed: undefined,
    got,
    ids,
    failure: undefined,
    notices,
    doubted: step.doubted,
  };
  const walked = {
    rows: got,
    places,
    claim: step.kind === 'next' ? step.state.claimed : claimIn(stage.operation.spec, query.walk.query, page),
  };
  const isFull =
    split !== undefined && split.kind !== 'area' && (got >= split.full || (split.kind === 'range' && split.isFull(query, walked.claim)));
  if (step.kind !== 'error' && isFull) {
    const narrower = splitQueries(query, split.narrower(query, { ...walked, data: page.data }));
    // the narrower queries return everything that this one would have
    if (narrower.length > 0) {
      const doubted = step.doubted?.is === 'right' ? step.doubted : undefined; // the others lead to no request
      return { ...base, found: [...found, ...narrower], end: 'complete', doubted, wide: true };
    }
    if (step.kind === 'end') return { ...base, found: [...found, ...queriesAfter(stage, query, walked)], end: 'capped' };
  }
  if (step.kind === 'next') return { ...base, next: step.state, move: step.move };
  const after = queriesAfter(stage, query, step.kind === 'error' ? undefined : walked);
  const last: Step = after.length === 0 ? base : { ...base, found: [...found, ...after] };
  if (step.kind === 'error')
    return { ...last, claimed: step.claimed, failure: { error: walkError(stage.operation, step.fault), delivered } };
  if (step.reason === 'capped' || received > room) return { ...last, end: 'capped' };
  return { ...last, end: 'complete', claimed: step.claimed };
}

function rowsOf(
  flow: Flow,
  stage: FlowStage,
  query: StageQuery,
  items: readonly unknown[],
  page: PageLike,
  leaveOut: ((row: object) => boolean) | undefined,
): Pick<Step, 'rows' | 'ids' | 'unusable' | 'outside'> {
  const rows: StepRow[] = [];
  const ids: number[] = [];
  const { split } = stage;
  const tile = split?.kind === 'area' ? tileOf(split.spec, query) : undefined;
  const isBeside = (row: object): boolean => split?.kind === 'area' && (tile === undefined || !liesIn(tile, row, split.spec));
  let unusable = 0;
  let outside = 0;
  for (const item of items) {
    if (!isRow(item)) {
      unusable += 1;
      continue;
    }
    const id = stage.identity === undefined ? undefined : idOf(stage.identity, item);
    if (id !== undefined) ids.push(id);
    if (leaveOut?.(item) === true) {
      outside += 1;
      continue;
    }
    const row =
      item instanceof LazyRow ? lazyRowOf(stage, query, item, id) : rowOf(flow, stage, query, { item, id, beside: isBeside(item) }, page);
    if (row !== undefined) rows.push(row);
  }
  return { rows, ids, unusable, outside };
}

/** undefined: the row isn't wanted. */
function rowOf(
  flow: Flow,
  stage: FlowStage,
  query: StageQuery,
  { item, id, beside }: Pick<StepRow, 'id' | 'beside'> & { readonly item: object },
  page: PageLike,
): StepRow | undefined {
  const whole = withKept(item, query);
  if (!isWanted(whole, stage.where)) return undefined;
  const keys = keysOf(stage, whole);
  const picked = stage.pick.length === 0 ? whole : pickFields(whole, stage.pick);
  const row = stage.definition.provenance === true ? { ...picked, _source: sourceOf(page) } : picked;
  const found = stage.children.length === 0 ? none : stage.children.flatMap((name) => foundIn(stageOf(flow, name), whole, page));
  return { row, ...keys, id, beside, found };
}

function keysOf({ by, counted }: FlowStage, row: object): Pick<StepRow, 'key' | 'counted'> {
  const key = by.length === 0 ? undefined : keyOf(row, by);
  if (counted.length === 0 || key !== undefined) return { key, counted: counted.length === 0 ? undefined : key };
  return { key, counted: counted.some((field) => valuesAt(row, field).length > 0) ? keyOf(row, counted) : undefined };
}

/** The same for a row that is written as it came: its stage has no children, and reads few of its fields. */
function lazyRowOf(stage: FlowStage, query: StageQuery, item: LazyRow, id: number | undefined): StepRow | undefined {
  const { where, by, counted } = stage;
  const row = keepLazily(item, query.kept);
  if (where.length + by.length + counted.length === 0) return { row, key: undefined, counted: undefined, id, beside: false, found: none };
  const read = withKept(partOf(item, stage.reads!), query);
  if (!isWanted(read, where)) return undefined;
  return { row, ...keysOf(stage, read), id, beside: false, found: none };
}

/** The source of a page's rows, in the form of `sourceColumns`. */
function sourceOf({
  operation,
  query,
  requestId,
  timestamp,
}: PageLike & { readonly requestId?: string; readonly timestamp?: number }): object {
  // some services count seconds, and 0 means unknown
  const time = timestamp === undefined || timestamp === 0 ? null : new Date(timestamp < 1e11 ? timestamp * 1000 : timestamp).toISOString();
  return { operation, query, request_id: requestId ?? null, time };
}

/** The queries that ready fan-outs over a list of the page, or over its data, lead to. */
function foundInPage(flow: Flow, stage: FlowStage, query: StageQuery, page: PageLike): readonly FoundQuery[] {
  if (stage.pageChildren.length === 0) return none;
  return stage.pageChildren.flatMap((name) => {
    const child = stageOf(flow, name);
    return entriesOf(child.fanOut!, page)!.flatMap((entry) => foundIn(child, withKept(entry, query), page));
  });
}

/** The queries that a row creates in one stage. */
function foundIn(stage: FlowStage, row: object, page: PageLike): FoundQuery[] {
  const kept = keptColumns(stage, row);
  return Array.from(bindQueries(stage, row, page), (params) => ({
    stage: stage.name,
    params,
    kept,
    claimed: claimOf(stage, row, params),
    unless: unlessOf(stage, row),
  }));
}

/** Kept columns stand first, as in a pipe, and win. */
function withKept(row: object, { kept }: StageQuery): object {
  return kept === undefined ? row : { ...kept, ...row, ...kept };
}

/** The number of rows that a parent's row claims for the query, unless the query requests only some of them. */
function claimOf({ claims, operation }: FlowStage, row: object, params: QueryParams): number | undefined {
  if (claims === undefined || operation.spec.claims?.unless?.some((param) => ownValue(params, param) !== undefined) === true)
    return undefined;
  const [value] = valuesAt(row, claims);
  const claimed = typeof value === 'string' && value !== '' ? Number(value) : value;
  return Number.isSafeInteger(claimed) ? (claimed as number) : undefined;
}

/** The options of a query's walk: those of its stage, the number of rows claimed, and the cap of the search if it is known. */
export function walkOptionsOf(stage: FlowStage, { claimed, tile }: Pick<StageQuery, 'claimed' | 'tile'>): WalkOptions {
  const { split, limit, walk } = stage;
  if (split?.kind === 'area') return { ...walk, claimed, maxItems: Math.min(limit, walkLimit(tile?.cap, split.full)) };
  return claimed === undefined ? walk : { ...walk, claimed };
}

const none: readonly never[] = [];

/** The fields to read of a row that is written unchanged. */
function partOf(row: LazyRow, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, row.field(name)]).filter(([, value]) => value !== undefined));
}

function isRow(item: unknown): item is object {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}

/** The row's own id, else all of it. */
function idOf({ id }: NonNullable<FlowStage['identity']>, row: object): number {
  return idMark(id?.path, row) ?? quickDigest(row instanceof LazyRow ? row.bytes : Buffer.from(JSON.stringify(row)));
}

function stageOf(flow: Flow, name: string): FlowStage {
  const stage = flow.byName.get(name);
  if (stage === undefined) throw new RangeError(`flow ${flow.name}: no stage is called ${name}`);
  return stage;
}

/** The error of a walk that can't continue. */
export function walkError({ name }: Operation, { message, ...details }: WalkFault): PaginationError {
  return new PaginationError(message, { operation: name, ...details });
}

/** The query that follows the end of a query. `found`: undefined if it failed. A repeated one was followed before. */
export function queriesAfter({ split }: FlowStage, query: StageQuery, found: PieceRows | undefined): FoundQuery[] {
  return split?.kind === 'range' && query.rewalk === undefined ? splitQueries(query, split.after(query, found)) : [];
}

function splitQueries({ stage, kept }: StageQuery, queries: readonly SplitQuery[]): FoundQuery[] {
  return queries.map((query) => ({ stage, kept, ...query }));
}
