import type { PageLike } from '../../../operators/PageFactory.ts';
import type { Flow, FlowStage, Since } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { JournalFound, PageStep } from '../state/JournalRecord.ts';
import { filledIn } from '../query/filledIn.ts';
import { ordersOf } from '../query/inOrder.ts';
import { stepQuery, type Step } from '../query/stepQuery.ts';
import { valuesAt } from '../query/valuesAt.ts';
import type { FoundQuery, StageQuery } from '../query/StageQuery.ts';
import { failureOf } from './failureOf.ts';

/** A query is left short after this many repeats in a row without a new row, or one per order if there are more orders. */
const fewestWalks = 3;
/** A walk that ended before it had even what is known says little: so many of them count as one. */
const cutWalks = 3;

export interface Taken {
  /** Queries that now wait: the next page of this one first, then the queries found in it. */
  readonly queries: readonly StageQuery[];
  /** Rows written. */
  readonly rows: readonly object[];
  readonly step: Step;
  /** How the query ended, if it is short. */
  readonly short?: { readonly got: number; readonly claimed: number; readonly final: boolean } | undefined;
}

/**
 * Takes a page of a query into the store: its rows that are new, the queries that are new, and where the query goes. A page
 * that can't be taken (`step.failure`, not delivered) changes nothing but that the query has failed.
 */
export function takePage(flow: Flow, store: FlowStore, query: StageQuery, page: PageLike): Taken {
  const step = stepQuery(flow, query, page);
  const { failure } = step;
  // A walk that looks for missing rows only ends where it can't go on: there are others.
  const again = failure !== undefined && query.rewalk !== undefined && query.walk.claimed !== undefined;
  if (failure?.delivered === false && !again) {
    return { queries: takeFailure(store, query, failure.error), rows: [], step };
  }
  const stage = flow.byName.get(query.stage)!;
  const stops = step.next !== undefined && store.freshness?.stopsAt(stage, query, page.items) === true;
  const rows: object[] = [];
  const found: JournalFound[] = [];
  const keys: bigint[] = [];
  const fresh = query.rewalk === undefined ? undefined : new Set(step.ids.filter((id) => store.state.isNewId(query.number, id)));
  const ids = fresh ?? step.ids;
  for (const { row, key, id, found: queries } of step.rows) {
    if (fresh !== undefined && id !== undefined && !fresh.has(id)) continue;
    if (key !== undefined) {
      if (!store.state.isNewKey(query.stage, key)) continue;
      keys.push(key);
    }
    rows.push(stage.seen ? store.withSeen(stage, row) : row);
    if (queries.length > 0) found.push(...foundAnew(flow, store, queries));
  }
  if (step.found.length > 0) found.push(...foundAnew(flow, store, step.found));
  const claimed = again ? query.walk.claimed : step.claimed;
  const record: PageStep = {
    kind: 'page',
    query: query.number,
    received: step.received,
    written: rows.length,
    ...((page.received ?? 0) > page.items.length ? { skipped: page.received! - page.items.length } : {}),
    ...(step.outside === 0 ? {} : { outside: step.outside }),
    ...(step.move === undefined || stops ? {} : { next: step.move }),
    ...(step.end === 'capped' ? { capped: true } : {}),
    ...(failure === undefined || again ? {} : { failure: failureOf(failure.error) }),
    ...(keys.length === 0 ? {} : { keys: digestText(keys) }),
    ...(step.ids.length === 0 ? {} : { ids: textOfIds([...ids]) }),
    ...((step.end === 'complete' || again) && claimed !== undefined
      ? endOf(stage, query, { walked: step.got, claimed, fresh: fresh?.size ?? 0, last: page.items.length }, store.state)
      : {}),
    ...(stage.filled.length === 0 ? {} : { filled: filledIn(stage, rows) }),
    ...(found.length === 0 ? {} : { found }),
    ...(stage.since === undefined ? {} : markOf(stage.since, query, page.items, stops || step.end !== undefined)),
  };
  const { claim, short: isShort } = record;
  const short = isShort === undefined || claim === undefined ? undefined : { got: claim[0], claimed: claim[1], final: isShort === 'final' };
  const left = stops ? { ...step, next: undefined, end: 'complete' as const } : again ? { ...step, failure: undefined } : step;
  return { queries: store.take(record, rows, left.next), rows, step: left, short };
}

/** The end of a walk. */
interface WalkEnd {
  /** Rows that it had. */
  readonly walked: number;
  readonly claimed: number;
  /** New rows of its last page, and all rows of it. */
  readonly fresh: number;
  readonly last: number;
}

/** Whether a last page of so many rows looks like one in the middle: full, since services page by tens, or empty where no walk has to end so. */
function looksCut(rows: number, { paging }: FlowStage['factory']): boolean {
  return rows % 10 === 0 && (rows > 0 || paging.kind === 'cursor');
}

/** The result of a walk when the number of rows is known. */
function endOf(
  stage: FlowStage,
  query: StageQuery,
  { walked, claimed, fresh, last }: WalkEnd,
  state: FlowStore['state'],
): Pick<PageStep, 'claim' | 'short' | 'rewalk'> {
  const { rewalk } = query;
  const got = rewalk === undefined ? walked : state.idCount(query.number);
  const claim = [got, claimed] as const;
  // Claims are off by a few rows, but a full last page means that there is another.
  const tolerated = looksCut(last, stage.factory) ? 0 : Math.max(stage.tolerance.rows, claimed * stage.tolerance.share);
  const isShort = claimed - got > tolerated;
  if (rewalk === undefined || got >= claimed) return isShort ? { claim, short: true } : { claim };
  const idle = rewalk.fresh + fresh > 0 ? 0 : rewalk.idle + (walked < got ? 1 : cutWalks);
  const orders = ordersOf(stage, query.params).length;
  if (idle < cutWalks * Math.max(fewestWalks, orders)) return { rewalk: { order: (rewalk.order + 1) % orders, idle } };
  if (!isShort) return { claim };
  return { claim, short: rewalk.gained + fresh > 0 ? true : 'final' };
}

/** Moves a query's watermark after a page. A failed walk doesn't move it: the rows between are still missing. */
function markOf(since: Since, { newest }: StageQuery, items: readonly unknown[], ended: boolean): Pick<PageStep, 'newest' | 'marked'> {
  const times = items.flatMap((item) => (typeof item === 'object' && item !== null ? valuesAt(item, since.field) : []));
  const latest = times.filter((time) => typeof time === 'string').reduce((one, other) => (other > one ? other : one), newest ?? '');
  return { ...(latest === (newest ?? '') ? {} : { newest: latest }), ...(ended ? { marked: true } : {}) };
}

function digestText(digests: readonly bigint[]): string {
  const bytes = Buffer.alloc(8 * digests.length);
  digests.forEach((digest, index) => bytes.writeBigUInt64LE(digest, index * 8));
  return bytes.toString('base64');
}

function textOfIds(ids: readonly number[]): string {
  return Buffer.from(Float64Array.from(ids).buffer).toString('base64');
}

/** Records a query as failed. */
export function takeFailure(store: FlowStore, query: StageQuery, error: unknown): readonly StageQuery[] {
  return store.take({ kind: 'failure', query: query.number, failure: failureOf(error) });
}

/** New queries in the journal's form. */
export function foundAnew(flow: Flow, store: FlowStore, found: readonly FoundQuery[]): JournalFound[] {
  const asked = found.filter(({ stage, params, unless }) => store.freshness?.skips(flow.byName.get(stage)!, params, unless) !== true);
  return store.state.onlyNew(asked).map(({ stage, params, kept, claimed, tile, unless }) => {
    const index = flow.stages.indexOf(flow.byName.get(stage)!);
    if (unless !== undefined) return [index, params, kept ?? null, claimed ?? null, tile ?? null, unless];
    if (tile !== undefined) return [index, params, kept ?? null, claimed ?? null, tile];
    if (claimed !== undefined) return [index, params, kept ?? null, claimed];
    return kept === undefined ? [index, params] : [index, params, kept];
  });
}

/** Stores how far the seeds were read and the new queries. Returns the new queries. */
export function takeSeeds(
  flow: Flow,
  store: FlowStore,
  stage: FlowStage,
  { position, crc, ended, found }: SeedBatch,
): readonly StageQuery[] {
  const index = flow.stages.indexOf(stage);
  return store.take({
    kind: 'seeds',
    stage: index,
    position,
    crc,
    ...(ended ? { ended } : {}),
    found: foundAnew(flow, store, found),
  });
}
