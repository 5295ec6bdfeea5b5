import type { PageLike } from '../../../operators/PageLike.ts';
import { timeOfRow } from './timeOfRow.ts';
import { type FlowStage, stageOf } from '../definition/Flow.ts';
import { filledIn } from '../query/bindQueries.ts';
import { rowKey } from './Dedup.ts';
import { failureOf } from '../state/failureOf.ts';
import { decideFailure, newQueries, type DecisionInput } from './decide.ts';
import {
  textOfDigests,
  textOfIds,
  textOfSpots,
  type FlowEvent,
  type QueryEnded,
  type QueryFailed,
  type RowKeys,
  type TakenCounts,
} from './events.ts';
import type { BegunQuery, FoundQuery, ShortEnd } from './Query.ts';
import type { PageCounts } from './stageCounters.ts';
import { stepQuery, type PageStep } from './stepQuery.ts';
import { watermarkKey } from './NewestRows.ts';
import { looksCut } from '../../../operators/walk/readPage.ts';

/** What follows from a page. Some fields come from its step unchanged. */
export interface PageDecision extends Pick<PageStep, 'unusable' | 'got' | 'notices' | 'unreliable'> {
  readonly events: readonly FlowEvent[];
  /** Rows to write. */
  readonly rows: readonly object[];
  /** It is the last page of its walk. */
  readonly isLast: boolean;
  /** Why the query has failed. */
  readonly failure: Error | undefined;
  /** How the query ended, if it is short. */
  readonly short?: ShortEnd | undefined;
}

/** What becomes of a query after a page. `stopped`: the rest is known from an earlier run. */
type Fate = 'on' | 'stopped' | 'complete' | 'capped' | 'found' | 'failed';

/**
 * What follows from a page of a query: its new rows, the new queries, and what becomes of the query. If the page can't be taken, the only
 * change is that the query has failed. `at`: the time now.
 */
export function decidePage(crawl: DecisionInput, query: BegunQuery, page: PageLike, at: number): PageDecision {
  const { flow, earlier } = crawl;
  const stage = stageOf(flow, query);
  const stepped = stepQuery(flow, query, page);
  // If the rows of a walk are claimed and can be told apart, a walk that can't continue isn't failed but short: it can be walked again.
  const brokenBy = stepped.claimed === undefined || stage.identity === undefined ? undefined : stepped.failure?.error;
  const step: PageStep = brokenBy === undefined ? stepped : { ...stepped, failure: undefined, end: 'complete' };
  const { notices, unusable, got, unreliable } = step;
  if (step.failure?.delivered === false) {
    const { error } = step.failure;
    const events = decideFailure(crawl, query, failureOf(error, at));
    return { notices, unusable, got, unreliable, events, rows: [], isLast: false, failure: error };
  }
  const newIds = query.rewalk ? newIdsOf(crawl, stage, query, step) : undefined;
  const { rows, keys, found } = newRowsOf(crawl, stage, step, newIds, query);
  // A query that is walked again looks for missing rows, which may be older than known ones.
  const isStopped = !query.rewalk && earlier?.reaches(stage, query, page.items, step.rows) === true;
  const events: FlowEvent[] = [
    {
      type: 'PageTaken',
      query: query.number,
      received: step.received,
      written: rows.length,
      counts: countsOf(
        {
          skipped: (page.received ?? page.items.length) - page.items.length - (page.others ?? 0) + unusable,
          thinPages: notices.filter(({ type }) => type === 'thinPage').length,
          fullEnds: isStopped ? 0 : notices.filter(({ type }) => type === 'fullEnd').length,
          droppedAsRepeats: notices.reduce((sum, notice) => sum + ((notice.type === 'thinPage' && notice.droppedAsRepeats) || 0), 0),
          outside: step.outside,
          told: page.told === 'empty' ? 1 : 0,
        },
        stage.filled.length === 0 ? undefined : filledIn(stage, rows),
      ),
      ids: step.ids.length === 0 ? undefined : textOfIds(newIds === undefined ? step.ids : [...newIds]),
      keys,
    },
  ];
  const newest = stage.since && newestOf(crawl, stage, query, page.items);
  if (newest !== undefined) events.push({ type: 'WatermarkMoved', query: query.number, newest });
  if (found.length > 0) events.push(...newQueries(crawl, found, query.number));

  const ids = newIds && { known: crawl.state.seen.idsOf(query.number).size, added: newIds.size };
  const ending = isStopped ? noClaim : endOf(stage, page, step, { ids, brokenBy });
  const fate: Fate = isStopped ? 'stopped' : step.failure === undefined ? (step.end ?? 'on') : 'failed';
  const error = isStopped ? undefined : step.failure?.error;
  const { claim, short } = ending;
  // a tile that was cut off isn't capped: it is divided, and what is then left is counted separately
  const cut = step.tile !== undefined && fate !== 'on' && fate !== 'failed' && crawl.state.covers.isCut(stage, query, step.tile.rows);
  const ends = (): QueryEnded | QueryFailed => {
    const all = query.walk.items + step.received;
    if (error !== undefined) return { type: 'QueryFailed', query: query.number, failure: failureOf(error, at), taken: true, got: all };
    return {
      type: 'QueryEnded',
      query: query.number,
      as: step.divided !== undefined || (cut && fate === 'capped') ? 'split' : (fate as Exclude<QueryEnded['as'], 'split'>),
      rows: claim?.[0] ?? all,
      claim,
      divided: step.divided?.claim,
      short,
      marked: stage.since !== undefined && isMarked(crawl, stage, query, { fate, short }) ? true : undefined,
      wasCapped: earlier !== undefined && wasCapped(earlier, stage, query, fate) ? true : undefined,
    };
  };
  const end = fate === 'on' ? undefined : ends();
  if (step.tile !== undefined) {
    const { spots, rows: count } = step.tile;
    events.push({
      type: 'TileSearched',
      query: query.number,
      at,
      spots: textOfSpots(spots),
      rows: count,
      cut: cut || undefined,
      ends: end,
    });
  } else if (end !== undefined) events.push(end);
  if (fate === 'on') events.push({ type: 'WalkMoved', query: query.number, move: step.move! });
  return {
    notices,
    unusable,
    got,
    unreliable,
    events,
    rows,
    isLast: isStopped || step.end !== undefined,
    failure: error,
    short: claim && short && { got: claim[0], claimed: claim[1], ...short },
  };
}

/** Whether its newest row becomes the watermark of a query. If a limit capped the walk, an earlier one stays, as older rows are missing. */
function isMarked(
  { earlier }: DecisionInput,
  stage: FlowStage,
  query: BegunQuery,
  { fate, short }: { readonly fate: Fate; readonly short: object | undefined },
): boolean {
  if (query.wentOn) return false;
  if ((fate === 'stopped' || fate === 'complete') && short === undefined) return true;
  const isKnown = earlier?.walked.watermarks.has(watermarkKey(stage, query.params)) === true;
  return fate === 'capped' && !isKnown && stage.since?.serverFilter === undefined;
}

/** Whether an earlier run was capped, and this one gets only what is new since. */
function wasCapped(earlier: NonNullable<DecisionInput['earlier']>, stage: FlowStage, { params }: BegunQuery, fate: Fate): boolean {
  const isPart = fate === 'stopped' || (fate === 'complete' && stage.since?.serverFilter !== undefined);
  return isPart && earlier.watermarkOf(stage, params)?.left === 'capped';
}

/** For a query that is walked again and whose rows have ids: the ids of the new rows of a page, up to the limit of the stage. */
function newIdsOf({ state }: DecisionInput, stage: FlowStage, query: BegunQuery, { ids }: PageStep): ReadonlySet<number> | undefined {
  if (stage.identity === undefined) return undefined;
  const known = state.seen.idsOf(query.number);
  const added = new Set<number>();
  for (const id of ids) if (!known.has(id) && known.size + added.size < stage.limit) added.add(id);
  return added;
}

/**
 * The rows to write, their keys, and the queries that they and the page lead to. `newIds`: the ids of new rows, if the query is walked
 * again.
 */
function newRowsOf(
  crawl: DecisionInput,
  stage: FlowStage,
  step: PageStep,
  newIds: ReadonlySet<number> | undefined,
  query: BegunQuery,
): { readonly rows: object[]; readonly keys: RowKeys | undefined; readonly found: readonly FoundQuery[] } {
  const { seen } = crawl.state;
  const rows: object[] = [];
  const keys = new Set<bigint>();
  const seenBefore: bigint[] = [];
  const found: FoundQuery[] = [];
  for (const { row, key, id, found: queries } of step.rows) {
    if (newIds !== undefined && id !== undefined && !newIds.has(id)) continue;
    const isNew = key !== undefined && !keys.has(key) && !seen.hasKey(stage.name, key);
    if (isNew) keys.add(key);
    else if (key !== undefined && stage.overlaps) seenBefore.push(key);
    if (key !== undefined && !isNew) continue;
    const told = stage.others.length > 0 || query.by > 0 ? { ...row, _service: stage.service.name } : row;
    rows.push(stage.seen || stage.series ? withSeen(crawl, stage, told) : told);
    if (queries.length > 0) found.push(...queries);
  }
  if (step.found.length > 0) found.push(...step.found);
  const isKeyed = keys.size + seenBefore.length > 0;
  return { rows, keys: isKeyed ? keysOf({ new: [...keys], seenBefore }) : undefined, found };
}

function keysOf(lists: { readonly [kind in keyof RowKeys]-?: readonly bigint[] }): RowKeys {
  const text = (digests: readonly bigint[]): string | undefined => (digests.length === 0 ? undefined : textOfDigests(digests));
  return { new: text(lists.new), seenBefore: text(lists.seenBefore) };
}

/** A row with the first and last time it was seen; in a series, with the time of its run. */
function withSeen({ startedAt, seenAt, earlier }: DecisionInput, stage: FlowStage, row: object): object {
  if (stage.series) return { ...row, seen_at: new Date(seenAt).toISOString() };
  const now = new Date(startedAt).toISOString();
  return { ...row, first_seen: earlier?.firstSeen(stage, rowKey(stage, stage.key, row)) ?? now, last_seen: now };
}

/**
 * The time of a query's newest row, if this page has a newer one. If only changes are requested of a service, not all rows come, so the
 * time is at least that of the run before. It is at most the time at which this run began: what changes later may be on pages that were
 * walked already.
 */
function newestOf(
  { earlier, startedAt }: DecisionInput,
  stage: FlowStage,
  query: BegunQuery,
  items: readonly unknown[],
): number | undefined {
  const since = stage.since!;
  const [least, most] =
    since.serverFilter === undefined ? [-Infinity, Infinity] : [earlier?.watermarkOf(stage, query.params)?.time ?? -Infinity, startedAt];
  const before = query.newest ?? -Infinity;
  const times = items.map((item) => (typeof item === 'object' && item !== null ? Math.min(most, timeOfRow(since, item)) : Number.NaN));
  const latest = times.reduce((one, other) => (other > one ? other : one), Math.max(before, least));
  return latest > before ? latest : undefined;
}

/** The counts that aren't 0, to keep the journal small. */
function countsOf(counts: PageCounts, filled: TakenCounts['filled']): TakenCounts | undefined {
  let some: { -readonly [name in keyof PageCounts]: number } | undefined;
  for (const name of Object.keys(counts) as (keyof PageCounts)[]) if (counts[name]! > 0) (some ??= {})[name] = counts[name]!;
  return filled === undefined && some === undefined ? undefined : { ...some, filled };
}

/** What the end of a walk says about the claim. */
type WalkEnding = Pick<QueryEnded, 'claim' | 'short'>;
const noClaim: WalkEnding = {};

interface WalkEnd {
  /** If the query is walked again: the number of rows that it had before this page, and of new rows on the page. */
  readonly ids: { readonly known: number; readonly added: number } | undefined;
  /** Why it couldn't continue, if it ended because of that. */
  readonly brokenBy: Error | undefined;
}

/** Compares the rows of a walk that ends with this page with the claim, if there is one. */
function endOf(stage: FlowStage, page: PageLike, { got: walked, claimed, end }: PageStep, { ids, brokenBy }: WalkEnd): WalkEnding {
  if (end !== 'complete' || claimed === undefined) return noClaim;
  const got = ids === undefined ? walked : ids.known + ids.added;
  const claim = [got, claimed] as const;
  // Claims may be wrong by a few rows. But if the last page is full, missing rows are probably on a next page.
  const tolerated = brokenBy !== undefined || looksCut(stage.operation.spec, page.items.length) ? 0 : toleratedOf(stage, claimed);
  const isShort = claimed - got > tolerated;
  const because = brokenBy === undefined ? {} : { because: brokenBy.message };
  return isShort ? { claim, short: because } : { claim };
}

/** How many of the claimed rows may be missing, as claims may be wrong. */
export function toleratedOf({ tolerance }: FlowStage, claimed: number): number {
  return Math.max(tolerance.rows, claimed * tolerance.share);
}
