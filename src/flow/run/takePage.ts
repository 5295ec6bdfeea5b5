import type { PageLike } from '../../../operators/PageFactory.ts';
import { claimOf } from '../../../operators/walk/claimOf.ts';
import { looksCut } from '../../../operators/walk/suspicions.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import { shortEndOf, type ShortEnd } from '../state/FlowState.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { idsOf, textOfDigests, textOfIds, type JournalFound, type PageStep, type Unchanged } from '../state/JournalRecord.ts';
import { filledIn } from '../query/isWanted.ts';
import { ordersOf } from '../query/inOrder.ts';
import { stepQuery, walkOptionsOf, type Step } from '../query/stepQuery.ts';
import { timeOf } from '../../contract/valuesAt.ts';
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
  readonly short?: ShortEnd | undefined;
}

/**
 * Takes a page of a query into the store: its rows that are new, the queries that are new, and where the query goes. A page
 * that can't be taken (`step.failure`, not delivered) changes nothing but that the query has failed.
 */
export function takePage(flow: Flow, store: FlowStore, query: StageQuery, page: PageLike): Taken {
  const stage = flow.byName.get(query.stage)!;
  const stepped = withoutRepeats(query, stepQuery(flow, query, page));
  // A walk that lost its way has ended where its rows can be counted: what it lacks is short, and walked again.
  const lost = stepped.claimed === undefined || stage.identity === undefined ? undefined : stepped.failure?.error;
  const step: Step = lost === undefined ? stepped : { ...stepped, failure: undefined, end: 'complete' };
  const { failure } = step;
  if (failure?.delivered === false) return { queries: takeFailure(store, query, failure.error), rows: [], step };
  const news = store.freshness?.look(stage, query, page.items, step.rows);
  const stops = news?.reached !== undefined;
  const fresh = query.rewalk === undefined ? undefined : new Set(step.ids.filter((id) => store.state.isNewId(query.number, id)));
  const { rows, keys, found } = newRows(store, stage, step, fresh);
  const anew = found.length === 0 ? nothingFound : foundAnew(flow, store, found);
  const end: WalkEnding = stops
    ? stopOf(stage, query, page, store, news.news)
    : step.end === 'complete' && step.claimed !== undefined
      ? endOf(
          stage,
          query,
          { walked: step.got, claimed: step.claimed, fresh: fresh?.size ?? 0, last: page.items.length, lost },
          store.state,
        )
      : noEnding;
  const isWhole = (stops || step.end === 'complete') && end.rewalk === undefined && end.short !== true;
  const suspect = step.notices.length === 0 ? 0 : step.notices.filter(({ type }) => type === 'suspect').length;
  const record: PageStep = {
    kind: 'page',
    query: query.number,
    received: step.received,
    written: rows.length,
    skipped: orAbsent((page.received ?? 0) - page.items.length),
    suspect: orAbsent(suspect),
    outside: orAbsent(step.outside),
    next: stops ? undefined : step.move,
    capped: step.end === 'capped' && !stops ? true : undefined,
    failure: failure === undefined || stops ? undefined : failureOf(failure.error),
    keys: keys.length === 0 ? undefined : textOfDigests(keys),
    ids: step.ids.length === 0 ? undefined : textOfIds(fresh === undefined ? step.ids : [...fresh]),
    claim: end.claim,
    short: end.short,
    because: end.because,
    rewalk: end.rewalk,
    filled: stage.filled.length === 0 ? undefined : filledIn(stage, rows),
    found: anew.found,
    unchanged: anew.unchanged,
    newest: newestOf(stage, query, page.items, store),
    // What a limit cut short leaves the watermark where it was: the rows between are still missing.
    marked:
      stage.since !== undefined && (isWhole || (step.end === 'capped' && store.freshness?.markOf(stage, query.params) === undefined))
        ? true
        : undefined,
    reached: stops ? news.reached : undefined,
    news: orAbsent(news?.news),
    late: orAbsent(news?.late),
    gone: end.claim === undefined ? undefined : goneOf(stage, query, store, end.claim[1], news?.news ?? 0),
  };
  const left = stops ? { ...step, next: undefined, end: 'complete' as const, failure: undefined } : step;
  return { queries: store.take(record, rows, left.next), rows, step: left, short: shortEndOf(record) };
}

/**
 * The step without rows that the page before had: where rows are added while a walk goes on, its pages move and overlap, and
 * a page can repeat one that was cut.
 */
function withoutRepeats({ ids: last, rewalk }: StageQuery, step: Step): Step {
  if (last === undefined || rewalk !== undefined) return step;
  const before = idsOf(last);
  const isNew = (id: number | undefined): boolean => id === undefined || !before.includes(id);
  const ids = step.ids.filter(isNew);
  const repeats = step.ids.length - ids.length;
  if (repeats === 0) return step;
  const { move, next } = step;
  return {
    ...step,
    rows: step.rows.filter(({ id }) => isNew(id)),
    ids,
    received: step.received - repeats,
    got: step.got - repeats,
    move: move && { ...move, items: move.items - repeats, received: move.received ?? move.items },
    next: next && { ...next, items: next.items - repeats },
  };
}

/** The rows to write, their keys, and the queries that they and the page lead to. `fresh`: the ids of new rows, if the query is repeated. */
function newRows(
  store: FlowStore,
  stage: FlowStage,
  step: Step,
  fresh: ReadonlySet<number> | undefined,
): { readonly rows: object[]; readonly keys: bigint[]; readonly found: FoundQuery[] } {
  const rows: object[] = [];
  const keys: bigint[] = [];
  const found: FoundQuery[] = [];
  for (const { row, key, id, found: queries } of step.rows) {
    if (fresh !== undefined && id !== undefined && !fresh.has(id)) continue;
    if (key !== undefined) {
      if (!store.state.isNewKey(stage.name, key)) continue;
      keys.push(key);
    }
    rows.push(stage.seen ? store.withSeen(stage, row) : row);
    if (queries.length > 0) found.push(...queries);
  }
  if (step.found.length > 0) found.push(...step.found);
  return { rows, keys, found };
}

/** What the end of a walk says of the claim. */
type WalkEnding = Pick<PageStep, 'claim' | 'short' | 'because' | 'rewalk'>;
const noEnding: WalkEnding = {};

interface WalkEnd {
  /** Rows that it had. */
  readonly walked: number;
  readonly claimed: number;
  /** New rows of its last page, and all rows of it. */
  readonly fresh: number;
  readonly last: number;
  /** Why it couldn't continue, if it ended because of that. */
  readonly lost: Error | undefined;
}

/** The result of a walk when the number of rows is known. */
function endOf(
  stage: FlowStage,
  query: StageQuery,
  { walked, claimed, fresh, last, lost }: WalkEnd,
  state: FlowStore['state'],
): WalkEnding {
  const { rewalk } = query;
  const got = rewalk === undefined ? walked : state.idCount(query.number);
  const claim = [got, claimed] as const;
  // Claims are off by a few rows, but a full last page means that there is another.
  const tolerated = lost !== undefined || looksCut(stage.factory, last) ? 0 : toleratedOf(stage, claimed);
  const isShort = claimed - got > tolerated;
  const because = lost === undefined ? {} : { because: lost.message };
  if (rewalk === undefined || got >= claimed) return isShort ? { claim, short: true, ...because } : { claim };
  const idle = rewalk.fresh + fresh > 0 ? 0 : rewalk.idle + (walked < got ? 1 : cutWalks);
  const orders = ordersOf(stage, query.params).length;
  if (idle < cutWalks * Math.max(fewestWalks, orders)) return { rewalk: { order: (rewalk.order + 1) % orders, idle } };
  if (!isShort) return { claim };
  return { claim, short: rewalk.gained + fresh > 0 ? true : 'final', ...because };
}

/** The end of a walk at rows that are known, when the number of rows is known: those that there were, and the new ones. */
function stopOf(stage: FlowStage, query: StageQuery, page: PageLike, store: FlowStore, news: number): WalkEnding {
  const before = rowsBefore(stage, query, store);
  const claimed = stage.identity === undefined ? undefined : claimOf(stage.factory, query.walk, page, walkOptionsOf(stage, query));
  if (before === undefined || claimed === undefined) return {};
  const got = Math.min(claimed, before + (query.news ?? 0) + news);
  const claim = [got, claimed] as const;
  return claimed - got > toleratedOf(stage, claimed) ? { claim, short: true } : { claim };
}

/**
 * How many of a query's earlier rows can be gone, by the numbers that the service claimed then and claims now. So rows that
 * a cut page hides aren't taken for gone.
 */
function goneOf(stage: FlowStage, query: StageQuery, store: FlowStore, claimed: number, news: number): number | undefined {
  const before = rowsBefore(stage, query, store);
  return before === undefined ? undefined : Math.max(0, before + (query.news ?? 0) + news - claimed);
}

/** How many rows the query had at the end of the last run, by the service's own number. */
function rowsBefore(stage: FlowStage, { params }: StageQuery, store: FlowStore): number | undefined {
  return store.freshness?.markOf(stage, params)?.rows;
}

function toleratedOf({ tolerance }: FlowStage, claimed: number): number {
  return Math.max(tolerance.rows, claimed * tolerance.share);
}

/** The time of a query's newest row, where this page moves it. */
function newestOf(
  { name, since }: FlowStage,
  { newest = -Infinity }: StageQuery,
  items: readonly unknown[],
  store: FlowStore,
): number | undefined {
  if (since === undefined) return undefined;
  const times = items.map((item) => (typeof item === 'object' && item !== null ? timeOf(item, since.field) : Number.NaN));
  if (items.length > 0) store.dated.set(name, store.dated.get(name) === true || times.some((time) => !Number.isNaN(time)));
  const latest = times.reduce((one, other) => (other > one ? other : one), newest);
  return latest > newest ? latest : undefined;
}

/** The journal leaves out what it doesn't need to say. */
function orAbsent(count: number | undefined): number | undefined {
  return count !== undefined && count > 0 ? count : undefined;
}

/** Records a query as failed. */
export function takeFailure(store: FlowStore, query: StageQuery, error: unknown): readonly StageQuery[] {
  return store.take({ kind: 'failure', query: query.number, failure: failureOf(error) });
}

type FoundAnew = Pick<PageStep, 'found' | 'unchanged'>;
const nothingFound: FoundAnew = {};

/** New queries in the journal's form, and those that an update skips. */
function foundAnew(flow: Flow, store: FlowStore, all: readonly FoundQuery[]): FoundAnew {
  const found: JournalFound[] = [];
  const unchanged: Unchanged[] = [];
  for (const one of store.state.onlyNew(all)) {
    const stage = flow.byName.get(one.stage)!;
    if (store.freshness?.skips(stage, one.params, one.unless) === true) unchanged.push([flow.stages.indexOf(stage), one.params]);
    else found.push(journalFound(flow, one));
  }
  return { found: found.length === 0 ? undefined : found, unchanged: unchanged.length === 0 ? undefined : unchanged };
}

/** A query in the journal's form. */
export function journalFound(flow: Flow, { stage, params, kept, claimed, tile, unless }: FoundQuery): JournalFound {
  const index = flow.stages.indexOf(flow.byName.get(stage)!);
  if (unless !== undefined) return [index, params, kept ?? null, claimed ?? null, tile ?? null, unless];
  if (tile !== undefined) return [index, params, kept ?? null, claimed ?? null, tile];
  if (claimed !== undefined) return [index, params, kept ?? null, claimed];
  return kept === undefined ? [index, params] : [index, params, kept];
}

/** Stores how far the seeds were read and the new queries. Returns the new queries. */
export function takeSeeds(
  flow: Flow,
  store: FlowStore,
  stage: FlowStage,
  { position, crc, ended, found }: SeedBatch,
): readonly StageQuery[] {
  const anew = foundAnew(flow, store, found);
  return store.take({
    kind: 'seeds',
    stage: flow.stages.indexOf(stage),
    position,
    crc,
    ended: ended ? true : undefined,
    found: anew.found ?? [],
    unchanged: anew.unchanged,
  });
}
