import type { PageLike, WalkEvent } from '../../../operators/PageLike.ts';
import { type Operation, entriesOf } from '../../contract/index.ts';
import { claimIn } from '../../../operators/walk/readPage.ts';
import { walkLimit } from '../../../operators/split/RowCap.ts';
import { stepWalk } from '../../../operators/walk/stepWalk.ts';
import type { StepOptions, WalkOptions } from '../../../operators/walk/WalkOptions.ts';
import type { FoundRow, WalkMove, WalkFault, WalkStep } from '../../../operators/walk/Walk.ts';
import { type Flow, type FlowStage, stageOf } from '../definition/Flow.ts';
import type { TilePage } from '../split/StageCovers.ts';
import { timeFaultOf } from './timeOfRow.ts';
import { isTile, type SplitQuery, type SearchedTile } from '../split/StageSplit.ts';
import type { BegunQuery, FoundQuery } from './Query.ts';
import { PaginationError, FlowError } from '../../errors/index.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { quickDigest } from '../../../operators/kit/quickDigest.ts';
import { hasField, LazyRow, keepLazily, wholeRow } from '../../../operators/LazyRow.ts';
import { readCount } from '../../../operators/walk/paging/followToken.ts';
import { idMark } from '../../../operators/walk/markOf.ts';
import { bindQueries, keptColumns, unlessOf, dropFields, pickFields } from '../query/bindQueries.ts';
import { isWanted } from '../../../operators/rowConditions.ts';
import { rowKey } from './Dedup.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import { isObject } from '../../../operators/kit/ownValue.ts';

/** The result of one page of one query. */
export interface PageStep extends PageRows {
  /** Queries that the page itself leads to, besides those of its rows. */
  readonly found: readonly FoundQuery[];
  /** Rows of the page, wanted or not. */
  readonly received: number;
  /** Where the page's rows lie, in or outside the area, and how many there are. Set for a tile of an area. */
  readonly tile?: Pick<TilePage, 'spots' | 'rows'> | undefined;
  /** The move of the walk, if it goes on. Otherwise `end` or `failure` is set. */
  readonly move?: WalkMove | undefined;
  /** How the walk ended. */
  readonly end?: 'complete' | 'capped' | 'found' | undefined;
  /** The claimed number of rows, if the walk has ended. */
  readonly claimed?: number | undefined;
  /** The number of different rows of the walk so far. */
  readonly got: number;
  /** Why the walk can't continue. `delivered`: the rows of the page count nevertheless. */
  readonly failure?: { readonly error: Error; readonly delivered: boolean } | undefined;
  readonly notices: readonly WalkEvent[];
  readonly unreliable: WalkStep['unreliable'];
  /** The query was full, and narrower ones follow. `claim`: the number of its rows, as the service says, if all are in these. */
  readonly divided?: { readonly claim: number | undefined } | undefined;
}

/**
 * One step of a flow: turns a page of a query into rows, the queries found in them, and the query's next state.
 *
 * It only computes. The caller requests the pages, leaves out what is known already, and makes rows and state safe together.
 */
export function stepQuery(flow: Flow, query: BegunQuery, page: PageLike): PageStep {
  const stage = stageOf(flow, query);
  const { operation, split } = stage;
  const walked = stepWalk(operation.spec, query.walk, page, stepOptionsOf(stage, query));
  const { notices, got } = walked;
  const delivered = walked.kind !== 'error' || walked.deliver;
  const all = stage.unfold === undefined ? walked.rows : walked.rows.flatMap(stage.unfold);
  const received = all.length;
  const room = stage.limit - query.walk.items;
  const came = !delivered ? none : received > room ? all.slice(0, room) : all;
  const isRepeated = query.skip > 0; // its rows and queries count already
  const items = isRepeated ? none : came;
  const tile = split?.kind === 'area' ? split.searchedBy(query) : undefined;
  const pieces = split?.kind === 'area' ? undefined : split;
  const rowError =
    (stage.keep.length === 0 ? undefined : keptFault(stage, items)) ?? (stage.since && timeFaultOf(stage.since, stage.operation, items));
  const found = walked.kind === 'end' && walked.reason === 'found' ? walked.found : undefined;
  const match = found && { item: items[found.rank - 1 - query.walk.items + query.walk.reemitted], at: found };
  const { rows, ids, unusable, outside } = rowsOfPage(flow, stage, query, page, {
    items: rowError === undefined ? items : none,
    tile,
    match,
  });
  const step: PageStep = {
    rows,
    found: delivered && !isRepeated && stage.pageChildren.length > 0 ? foundInPage(flow, stage, query, page) : none,
    received,
    unusable,
    outside,
    // also of a repeated page: when a tile's walk starts over, its rows are counted from 0
    tile: tile && { spots: tile.spotsOf(came), rows: came.length },
    move: undefined,
    end: undefined,
    claimed: undefined,
    got,
    ids,
    failure: undefined,
    notices,
    unreliable: walked.unreliable,
  };
  if (rowError !== undefined) return { ...step, failure: { error: rowError, delivered: false } };
  if (walked.kind === 'error') {
    const failure = { error: walkError(operation, walked.fault), delivered };
    return { ...step, claimed: walked.claimed, failure };
  }
  const piece = pieces && {
    rows: got,
    claim: walked.kind === 'next' ? (walked.move.claimed ?? query.walk.claimed) : claimIn(operation.spec, query.walk.query, page),
  };
  const isFull = pieces?.isFull(query, piece!) === true;
  const narrower = isFull ? splitQueries(query, pieces.narrower(query, { ...piece!, data: page.data })) : none;
  // The narrower queries return everything that this one would have.
  if (narrower.length > 0) {
    const claim = pieces?.kind === 'range' ? piece?.claim : undefined;
    return { ...withFound(step, narrower), end: 'complete', divided: { claim } };
  }
  if (walked.kind === 'next') return { ...step, move: walked.move };
  if (walked.reason === 'found') return { ...step, end: 'found' };
  // Where the service says how many rows there are, a full query is short by so many.
  if (walked.reason === 'capped' || received > room || (isFull && walked.short === undefined)) return { ...step, end: 'capped' };
  return { ...step, end: 'complete', claimed: walked.claimed };
}

function withFound(step: PageStep, more: readonly FoundQuery[]): PageStep {
  return more.length === 0 ? step : { ...step, found: [...step.found, ...more] };
}

/** The options of a query's walk: those of its stage, the number of rows claimed, and the cap of the search if it is known. */
function walkOptionsOf(stage: FlowStage, { claimed, tile }: Pick<BegunQuery, 'claimed' | 'tile'>): WalkOptions {
  const { split, walk } = stage;
  if (split?.kind === 'area') return { ...walk, claimed, maxItems: walkLimit(isTile(tile) ? tile.cap : undefined, split.full) };
  return claimed === undefined ? walk : { ...walk, claimed };
}

/** The same options, with the test for the row that the query looks for. */
function stepOptionsOf(stage: FlowStage, query: BegunQuery): StepOptions {
  const options = walkOptionsOf(stage, query);
  const { until } = stage;
  if (until.length === 0) return options;
  return { ...options, until: (row) => isObject(row) && isWanted(withKept(readable(stage, row), query), until) };
}

const none: readonly never[] = [];

function walkError({ name }: Operation, { message, ...details }: WalkFault): PaginationError {
  return new PaginationError(message, { operation: name, ...details });
}

/** The queries to send for a query: pieces of it, if the service takes none without bounds. `from`: only rows from this time on. */
export function boundedQueries({ split }: FlowStage, query: FoundQuery, from?: number): readonly FoundQuery[] {
  const isPart = query.tile?.range !== undefined;
  if (split?.kind !== 'range' || split.bounded === undefined || isPart) return [query];
  return split.bounded(query.params, from).map((piece) => ({ ...query, ...piece, claimed: undefined }));
}

/** What is requested instead of a query whose first page was refused as too large. */
export function halvesOf({ split }: FlowStage, query: BegunQuery): readonly FoundQuery[] {
  return split?.kind !== 'range' || query.walk.pages > 0 ? none : splitQueries(query, split.halved!(query));
}

function splitQueries({ stage, kept }: BegunQuery, queries: readonly SplitQuery[]): FoundQuery[] {
  return queries.map((query) => ({ stage, kept, ...query }));
}

export interface StepRow {
  /** The row as written. */
  readonly row: object;
  /** The key that identifies it. undefined if rows aren't deduplicated. */
  readonly key: bigint | undefined;
  /** A digest of its id. undefined if ids don't matter. */
  readonly id: number | undefined;
  /** Queries that it leads to. */
  readonly found: readonly FoundQuery[];
}

/** The rows of a page as a stage writes them, with counts of those that are left out. */
interface PageRows {
  readonly rows: readonly StepRow[];
  /** Digests of the ids of all rows of the page, wanted or not. Empty if ids don't matter. */
  readonly ids: readonly number[];
  /** Rows that aren't objects, so no file can take them. */
  readonly unusable: number;
  /** Rows left out because they lie outside the area. */
  readonly outside: number;
}

/** `tile`: what the query searches, if it is a part of an area. `match`: the row that it looked for, and where it is. */
export function rowsOfPage(
  flow: Flow,
  stage: FlowStage,
  query: BegunQuery,
  page: PageLike,
  {
    items,
    tile,
    match,
  }: {
    readonly items: readonly unknown[];
    readonly tile: SearchedTile | undefined;
    readonly match?: { readonly item: unknown; readonly at: FoundRow } | undefined;
  },
): PageRows {
  const rows: StepRow[] = [];
  const ids: number[] = [];
  let unusable = 0;
  let outside = 0;
  for (const item of items) {
    if (!isObject(item)) {
      unusable += 1;
      continue;
    }
    const id = stage.identity === undefined ? undefined : idOf(stage.identity, item);
    if (id !== undefined) ids.push(id);
    if (tile?.isOutside(item) === true) {
      outside += 1;
      continue;
    }
    const row =
      item instanceof LazyRow
        ? lazyRowOf(stage, query, item, id)
        : rowOf(flow, stage, query, { item, id, at: item === match?.item ? match.at : undefined }, page);
    if (row !== undefined) rows.push(row);
  }
  return { rows, ids, unusable, outside };
}

/** undefined: the row isn't wanted. */
function rowOf(
  flow: Flow,
  stage: FlowStage,
  query: BegunQuery,
  { item, id, at }: Pick<StepRow, 'id'> & { readonly item: object; readonly at: FoundRow | undefined },
  page: PageLike,
): StepRow | undefined {
  const whole = at === undefined ? withKept(item, query) : { ...withKept(item, query), ...at };
  if (stage.where.length > 0 && !isWanted(whole, stage.where)) return undefined;
  let picked = whole;
  if (stage.pick.length > 0) picked = { ...pickFields(whole, stage.pick), ...at };
  else if (stage.drop.length > 0) picked = { ...dropFields(whole, stage.drop), ...at };
  const key = keyOf(stage, whole, () => picked);
  const row = stage.definition.provenance === true ? { ...picked, _source: sourceOf(page) } : picked;
  const found = stage.children.length === 0 ? none : stage.children.flatMap((name) => foundIn(flow.byName.get(name)!, whole, page));
  return { row, key, id, found };
}

/** `written`: the row as it is written, for a row without a key. */
function keyOf(stage: FlowStage, row: object, written: () => object): bigint | undefined {
  return stage.by.length === 0 ? undefined : rowKey(stage, stage.by, row, written);
}

/** `rowOf` for a row that stays bytes: its stage has no children, and reads only a few of its fields. */
function lazyRowOf(stage: FlowStage, query: BegunQuery, item: LazyRow, id: number | undefined): StepRow | undefined {
  const { where, by } = stage;
  const row = keepLazily(item, query.kept);
  if (where.length + by.length === 0) return { row, key: undefined, id, found: none };
  const read = withKept(readable(stage, item), query);
  if (!isWanted(read, where)) return undefined;
  return { row, key: keyOf(stage, read, () => wholeRow(row)), id, found: none };
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
function foundInPage(flow: Flow, stage: FlowStage, query: BegunQuery, page: PageLike): readonly FoundQuery[] {
  return stage.pageChildren.flatMap((name) => {
    const child = flow.byName.get(name)!;
    return entriesOf(child.fanOut!, page)!.flatMap((entry) => foundIn(child, withKept(entry, query), page));
  });
}

function foundIn(stage: FlowStage, row: object, page: PageLike): FoundQuery[] {
  if (stage.when.length > 0 && !isWanted(row, stage.when)) return [];
  const unless = stage.since && unlessOf(stage.since, row);
  return Array.from(bindQueries(stage, row, page), (params) => ({
    stage: stage.name,
    params,
    kept: keptColumns(stage, row, params),
    claimed: claimOf(stage, row, params),
    unless,
  }));
}

/** A row with its kept columns in front, as in a pipe. */
function withKept(row: object, { kept }: BegunQuery): object {
  return kept === undefined ? row : { ...kept, ...row, ...kept };
}

/** The error if a row has a field with the name of a kept column. */
function keptFault({ keep, operation }: FlowStage, items: readonly unknown[]): Error | undefined {
  for (const [column] of keep)
    if (items.some((item) => isObject(item) && hasField(item, column)))
      return new FlowError(`keep names '${column}', which a row of ${operation.name} has already: give the column another name`);
  return undefined;
}

/** The number of rows that a parent's row claims for the query, unless the query requests only some of them. */
function claimOf({ claims, operation }: FlowStage, row: object, params: QueryParams): number | undefined {
  if (claims === undefined || operation.spec.claims?.unless?.some((param) => ownValue(params, param) !== undefined) === true)
    return undefined;
  return readCount(valueAt(row, claims.path));
}

/** The row as an object. Of a row that stays bytes, only the fields that the stage reads. */
function readable({ fieldsNeeded }: FlowStage, row: object): object {
  if (!(row instanceof LazyRow)) return row;
  return Object.fromEntries(fieldsNeeded!.map((name) => [name, row.field(name)]).filter(([, value]) => value !== undefined));
}

/** A digest of the row's id, else of the whole row. */
function idOf({ id }: NonNullable<FlowStage['identity']>, row: object): number {
  return idMark(id?.path, row) ?? quickDigest(row instanceof LazyRow ? row.bytes : Buffer.from(JSON.stringify(row)));
}
