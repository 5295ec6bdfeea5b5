import { ownValue } from '../../../operators/kit/ownValue.ts';
import { quickDigest } from '../../../operators/kit/quickDigest.ts';
import { hasField, LazyRow, keepLazily, wholeRow } from '../../../operators/LazyRow.ts';
import type { PageLike } from '../../../operators/PageLike.ts';
import { FlowError } from '../../errors/index.ts';
import { entriesOf } from '../../contract/index.ts';
import { readCount } from '../../../operators/walk/paging/followToken.ts';
import { idMark } from '../../../operators/walk/markOf.ts';
import type { SearchedTile } from '../split/StageSplit.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { bindQueries, keptColumns, unlessOf, pickFields } from '../query/bindQueries.ts';
import { rowKey } from './Dedup.ts';
import type { BegunQuery, FoundQuery } from './Query.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { isWanted } from '../query/isWanted.ts';
import { isFilled, valuesAt } from '../../contract/valuesAt.ts';

export interface StepRow {
  /** The row as written. */
  readonly row: object;
  /** The key that identifies it. undefined if rows aren't deduplicated. */
  readonly key: bigint | undefined;
  /** The key by which it is counted how many queries found it. undefined if that isn't counted. */
  readonly counted: bigint | undefined;
  /** It lies outside the tile that was searched. */
  readonly beside: boolean;
  /** Its own among the page's `ids`. undefined if ids don't matter. */
  readonly id: number | undefined;
  /** Queries that it leads to. */
  readonly found: readonly FoundQuery[];
}

/** The rows of a page as a stage writes them, and what else is known of them. */
export interface PageRows {
  readonly rows: readonly StepRow[];
  /** The id of each row of the page, wanted or not, if ids matter. */
  readonly ids: readonly number[];
  /** Rows that aren't objects, so no file can take them. */
  readonly unusable: number;
  /** Rows left out because they lie outside the area. */
  readonly outside: number;
}

/** `tile`: what the query searches, if it is a part of an area. */
export function rowsOfPage(
  flow: Flow,
  stage: FlowStage,
  query: BegunQuery,
  page: PageLike,
  { items, tile }: { readonly items: readonly unknown[]; readonly tile: SearchedTile | undefined },
): PageRows {
  const rows: StepRow[] = [];
  const ids: number[] = [];
  let unusable = 0;
  let outside = 0;
  for (const item of items) {
    if (!isRow(item)) {
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
        : rowOf(flow, stage, query, { item, id, beside: tile?.isBeside(item) === true }, page);
    if (row !== undefined) rows.push(row);
  }
  return { rows, ids, unusable, outside };
}

/** undefined: the row isn't wanted. */
function rowOf(
  flow: Flow,
  stage: FlowStage,
  query: BegunQuery,
  { item, id, beside }: Pick<StepRow, 'id' | 'beside'> & { readonly item: object },
  page: PageLike,
): StepRow | undefined {
  const whole = withKept(item, query);
  if (!isWanted(whole, stage.where)) return undefined;
  const picked = stage.pick.length === 0 ? whole : pickFields(whole, stage.pick);
  const keys = keysOf(stage, whole, () => picked);
  const row = stage.definition.provenance === true ? { ...picked, _source: sourceOf(page) } : picked;
  const found = stage.children.length === 0 ? none : stage.children.flatMap((name) => foundIn(flow.byName.get(name)!, whole, page));
  return { row, ...keys, id, beside, found };
}

/** `written`: what is written of the row. */
function keysOf(stage: FlowStage, row: object, written: () => object): Pick<StepRow, 'key' | 'counted'> {
  const { by, counted } = stage;
  const key = by.length === 0 ? undefined : rowKey(stage, by, row, written);
  if (counted.length === 0 || key !== undefined) return { key, counted: counted.length === 0 ? undefined : key };
  const isCounted = counted.some((field) => valuesAt(row, field).some(isFilled));
  return { key, counted: isCounted ? rowKey(stage, counted, row) : undefined };
}

/** The same for a row that is written as it came: its stage has no children, and reads few of its fields. */
function lazyRowOf(stage: FlowStage, query: BegunQuery, item: LazyRow, id: number | undefined): StepRow | undefined {
  const { where, by, counted } = stage;
  const row = keepLazily(item, query.kept);
  if (where.length + by.length + counted.length === 0) return { row, key: undefined, counted: undefined, id, beside: false, found: none };
  const read = withKept(partOf(item, stage.reads!), query);
  if (!isWanted(read, where)) return undefined;
  return { row, ...keysOf(stage, read, () => wholeRow(row)), id, beside: false, found: none };
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
export function foundInPage(flow: Flow, stage: FlowStage, query: BegunQuery, page: PageLike): readonly FoundQuery[] {
  if (stage.pageChildren.length === 0) return none;
  return stage.pageChildren.flatMap((name) => {
    const child = flow.byName.get(name)!;
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

/** Kept columns stand first, as in a pipe. */
function withKept(row: object, { kept }: BegunQuery): object {
  return kept === undefined ? row : { ...kept, ...row, ...kept };
}

/** Why the rows of a page can't have the kept columns of its query: one has such a field already. As in a pipe. */
export function keptFault({ keep, operation }: FlowStage, items: readonly unknown[]): Error | undefined {
  for (const [column] of keep)
    if (items.some((item) => isRow(item) && hasField(item, column)))
      return new FlowError(`keep names '${column}', which a row of ${operation.name} has already: give the column another name`);
  return undefined;
}

/** The number of rows that a parent's row claims for the query, unless the query requests only some of them. */
function claimOf({ claims, operation }: FlowStage, row: object, params: QueryParams): number | undefined {
  if (claims === undefined || operation.spec.claims?.unless?.some((param) => ownValue(params, param) !== undefined) === true)
    return undefined;
  return readCount(valuesAt(row, claims)[0]);
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
