import { moveWalk } from '../../../operators/walk/moveWalk.ts';
import { SecondLooks } from '../../../operators/walk/SecondLooks.ts';
import { startWalk } from '../../../operators/walk/startWalk.ts';
import { pagingKindOf } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { digestOf, queryKey } from '../query/queryKey.ts';
import { isWithin } from '../definition/flowFormat.ts';
import { inOrder, type FoundQuery, type Lineage, type Rewalk, type StageQuery } from '../query/StageQuery.ts';
import { failedTile, StageCovers, type TilePage } from '../split/StageCovers.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import {
  spotsIn,
  digestsOf,
  idsOf,
  type Carried,
  type FailureStep,
  type JournalFound,
  type JournalStep,
  type LateStep,
  type PageStep,
  type Retry,
  type Unchanged,
  type QueryFailure,
} from './JournalRecord.ts';
import { watermarkKey, shortOf, toTheEnd, type Watermark, nothingKnown, WalkExtent } from './WalkExtent.ts';
import { DigestSet } from './DigestSet.ts';
import { addPage, startCounts, type StageCounts } from './stageCounters.ts';

/** How a query ended that has too few rows. */
export interface ShortEnd {
  readonly got: number;
  readonly claimed: number;
  /** Repeating it in every order brought no more rows. */
  readonly final: boolean;
  /** Why it couldn't continue. Absent if it came to an end. */
  readonly because?: string | undefined;
}

/** A query that ended with too few rows. */
interface ShortQuery extends ShortEnd {
  readonly query: StageQuery;
}

export interface SeedsState {
  position: number;
  crc: number;
  ended: boolean;
}

export interface FailedQuery {
  readonly query: StageQuery;
  readonly failure: QueryFailure;
  /** Its rows so far. */
  readonly got: number;
}

/**
 * The state of a flow: found, ended and waiting queries. It changes by journal steps only, so replaying a
 * journal restores the exact state of the run.
 */
export class FlowState {
  readonly counts: ReadonlyMap<string, StageCounts>;
  readonly seeds: ReadonlyMap<string, SeedsState>;
  /** By number. */
  readonly waiting: Map<number, StageQuery> = new Map();
  /** Those that come after all others. */
  readonly late: Set<number> = new Set();
  readonly failed: Map<number, FailedQuery> = new Map();
  readonly short: Map<number, ShortQuery> = new Map();
  /** How far each query was read, by its identity. */
  readonly watermarks: Map<bigint, Watermark> = new Map();
  /** Queries with a watermark that are still there: found, or skipped. */
  readonly current: DigestSet = new DigestSet();
  readonly extents: WalkExtent = new WalkExtent();
  /** This run requests only queries that failed before, and knows nothing about the others. */
  isRetry = false;
  /** The rows of repeated queries. */
  readonly #ids = new Map<number, Set<number>>();
  /** The areas that are covered. */
  readonly covers: StageCovers = new StageCovers();
  /** A query of each stage whose page came, as it was requested. */
  readonly served: Map<string, StageQuery> = new Map();
  /** What second looks at pages have found so far, by operation. */
  readonly #secondLooks = new Map<string, SecondLooks>();
  readonly #flow: Flow;
  readonly #known = new DigestSet();
  readonly #keys = new Map<string, DigestSet>();
  /** Messages of failures, each kept once: most queries fail for the same reason. */
  readonly #messages = new Map<string, string>();
  #next = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.counts = new Map(flow.stages.map(({ name }) => [name, startCounts()]));
    this.seeds = new Map(
      flow.stages.filter((stage) => stage.parents.length === 0).map(({ name }) => [name, { position: 0, crc: 0, ended: false }]),
    );
  }

  /** Returns the queries that are new, and counts them as found. A step that records them must follow. */
  onlyNew(found: readonly FoundQuery[]): FoundQuery[] {
    return found.filter(({ stage, params, tile }) => this.#isNew(this.#flow.byName.get(stage)!, params, tile));
  }

  /** Whether this key is new to the stage. From now on it counts as seen. */
  isNewKey(stage: string, key: bigint): boolean {
    let keys = this.#keys.get(stage);
    if (keys === undefined) this.#keys.set(stage, (keys = new DigestSet()));
    return keys.add(key);
  }

  /**
   * Applies a step. Returns the queries that wait because of it: the next page of this query first, then the queries found.
   * `next` is the next state of the query's walk, if it is known already.
   */
  apply(step: JournalStep, next?: StageQuery['walk']): StageQuery[] {
    if (step.kind === 'seeds') {
      const seeds = this.seeds.get(this.#stage(step.stage).name);
      if (seeds !== undefined) Object.assign(seeds, { position: step.position, crc: step.crc, ended: step.ended === true });
      if (step.unchanged !== undefined) this.#skip(step.unchanged);
      return step.found.map((found) => this.#find(found, undefined));
    }
    const query = this.waiting.get(step.query);
    if (query === undefined) throw new RangeError(`a step for query ${step.query}, which isn't waiting`);
    if (step.kind === 'page') return this.#page(query, step, next);
    if (step.kind === 'again') return [this.#startOver(query)];
    return step.kind === 'late' ? this.#postpone(query, step) : this.#failure(query, step);
  }

  /** What second looks at the pages of the stage's operation have found so far. */
  secondLooksOf({ operation }: FlowStage): SecondLooks {
    let looks = this.#secondLooks.get(operation.name);
    if (looks === undefined) this.#secondLooks.set(operation.name, (looks = new SecondLooks()));
    return looks;
  }

  /** For steps written by another process: counts their content as found and seen. */
  recall(step: JournalStep): void {
    if (step.kind === 'failure') return this.#recallTile(step.query, failedTile);
    if (step.kind === 'again') return;
    if (step.kind === 'late') return this.#recallLate(step.query);
    for (const [stage, params, , , tile] of step.found ?? []) if (tile?.number === undefined) this.#isNew(this.#stage(stage), params, tile);
    for (const [stage, params] of step.unchanged ?? []) this.#isNew(this.#stage(stage), params, null);
    if (step.kind === 'seeds') {
      for (const area of step.areas ?? []) this.#isNew(this.#stage(step.stage), area[1], area[4]);
      if (step.areas !== undefined) this.startAreas(this.#stage(step.stage), step.areas);
      return;
    }
    if (step.tile !== undefined) this.#recallTile(step.query, { ...step.tile, spots: spotsIn(step.tile.spots) });
    if (step.keys === undefined) return;
    const { stage } = this.waiting.get(step.query)!;
    for (const key of digestsOf(step.keys)) this.isNewKey(stage, key);
  }

  /** Starts to cover areas. Returns the first tiles. */
  startAreas(stage: FlowStage, areas: readonly JournalFound[]): FoundQuery[] {
    return areas.flatMap(([, params, kept, , tile, unless]) =>
      this.covers.start(stage, { stage: stage.name, params, kept: kept ?? undefined, tile: tile ?? undefined, unless }),
    );
  }

  #recallTile(number: number, page: TilePage): void {
    const query = this.waiting.get(number)!;
    if (query.tile !== undefined) this.covers.take(this.#flow.byName.get(query.stage)!, query, page);
  }

  #recallLate(number: number): void {
    const query = this.waiting.get(number)!;
    this.covers.pass(this.#flow.byName.get(query.stage)!, query);
  }

  /** Whether a query wasn't known. From now on it is. The same query over two areas is two. */
  #isNew(stage: FlowStage, params: QueryParams, tile: TileState | null | undefined): boolean {
    return this.#known.add(digestOf(queryKey(stage, params) + (tile?.area ?? '')));
  }

  /** Requests these queries, and reads no seeds. */
  retry({ failed, short }: Retry): void {
    this.isRetry = true;
    for (const seeds of this.seeds.values()) seeds.ended = true;
    for (const found of [...failed, ...short]) {
      this.#isNew(this.#stage(found[0]), found[1], found[4]);
      const query = this.#find(found, undefined);
      if (short.includes(found)) this.waiting.set(query.number, this.#again(query, fromTheStart));
    }
  }

  /** Counts rows of the previous run that an update has kept. */
  carry(stage: string, { rows, filled }: Carried): void {
    const counts = this.counts.get(stage);
    if (counts === undefined) return;
    counts.rows += rows;
    countFilled(counts, filled);
  }

  /** Whether a row is new to a repeated query. From now on it counts as seen. */
  isNewId(query: number, id: number): boolean {
    let ids = this.#ids.get(query);
    if (ids === undefined) this.#ids.set(query, (ids = new Set()));
    if (ids.has(id)) return false;
    ids.add(id);
    return true;
  }

  /** The rows of a repeated query. */
  idCount(query: number): number {
    return this.#ids.get(query)?.size ?? 0;
  }

  /** Whether repeated queries wait. If so, every earlier step needs `recallIds`. */
  get rewalks(): boolean {
    return Array.from(this.waiting.values()).some(({ rewalk }) => rewalk !== undefined);
  }

  /** Remembers the rows of a step whose query is repeated. */
  recallIds(step: JournalStep): void {
    if (step.kind !== 'page' || step.ids === undefined || this.waiting.get(step.query)?.rewalk === undefined) return;
    for (const id of idsOf(step.ids)) this.isNewId(step.query, id);
  }

  /** Failed queries wait again. Short ones start over. */
  reopen(): void {
    for (const [number, { query, got, claimed, final }] of this.short) {
      if (final) continue;
      const counts = this.counts.get(query.stage)!;
      counts.short -= 1;
      counts.done -= 1;
      counts.got -= got;
      counts.claimed -= claimed;
      if (this.#isUnexpected(query, got)) counts.unexpected -= 1;
      if (got === 0 && !this.#splits(query)) counts.empty -= 1;
      counts.waiting += 1;
      this.waiting.set(number, this.#again(query, fromTheStart));
      this.short.delete(number);
    }
    for (const [number, { query }] of this.failed) {
      const counts = this.counts.get(query.stage)!;
      counts.failed -= 1;
      counts.waiting += 1;
      this.waiting.set(number, query);
    }
    this.failed.clear();
  }

  #page(before: StageQuery, step: PageStep, known: StageQuery['walk'] | undefined): StageQuery[] {
    const counts = this.counts.get(before.stage)!;
    this.served.set(before.stage, before);
    counts.pages += 1;
    counts.rows += step.written;
    if (step.counts !== undefined) addPage(counts, step.counts);
    counts.capped += step.tile?.left ?? 0;
    if (step.filled !== undefined) countFilled(counts, step.filled);
    const query = withNews(before, step);
    if (step.doubted !== undefined) this.secondLooksOf(this.#flow.byName.get(query.stage)!).learn(step.doubted, query.walk.query);
    if (step.unchanged !== undefined) this.#skip(step.unchanged);
    if (step.counts?.skipped !== undefined || step.counts?.suspect !== undefined) this.#lose(query);
    const after: StageQuery[] = [];
    if (step.next !== undefined) {
      const stage = this.#flow.byName.get(query.stage)!;
      const walk = known ?? moveWalk(stage.operation.spec, query.walk, step.next, stage.walk);
      const next = queryWith({ ...query, walk, ids: step.ids ?? query.ids, delivered: deliveredAfter(query, walk) });
      this.waiting.set(query.number, next);
      after.push(next);
    } else if (step.rewalk !== undefined) {
      const next = this.#again(query, { ...step.rewalk, fresh: 0, gained: query.rewalk?.gained ?? 0 });
      this.waiting.set(query.number, next);
      after.push(next);
    } else if (step.failure === undefined) {
      this.#end(query, step, counts);
    } else {
      this.#fail({ ...query, delivered: query.delivered ?? 1 }, step.failure, query.walk.items + step.received);
    }
    if (step.found === undefined) return after;
    const parent: Lineage = { stage: query.stage, params: query.params, page: query.walk.query, parent: query.parent };
    // a tile comes from its area, not from the tile whose end made room for it
    for (const found of step.found) after.push(this.#find(found, isTile(found) ? query.parent : parent));
    return after;
  }

  #end(query: StageQuery, step: PageStep, counts: StageCounts): void {
    const { claim, capped, received } = step;
    this.waiting.delete(query.number);
    this.#ids.delete(query.number);
    counts.waiting -= 1;
    counts.done += 1;
    this.#setWatermark(query, step);
    if (capped === true) counts.capped += 1;
    const rows = claim?.[0] ?? query.walk.items + received;
    if (this.#isUnexpected(query, rows)) counts.unexpected += 1;
    if (rows === 0 && !this.#splits(query)) counts.empty += 1;
    if (claim === undefined) return;
    const [got, claimed] = claim;
    counts.got += got;
    counts.claimed += claimed;
    const short = shortEndOf(step);
    if (short !== undefined) {
      counts.short += 1;
      this.short.set(query.number, { query, ...short });
    } else if (got < claimed) counts.nearly += 1;
  }

  /** Notes how far a query was walked, for the next update and for this one. */
  #setWatermark(query: StageQuery, { claim, short, capped, marked, reached, gone }: PageStep): void {
    const stage = this.#flow.byName.get(query.stage)!;
    if (stage.since === undefined) return;
    const key = watermarkKey(stage, query.params);
    if (marked === true) {
      // The next update counts from the claimed number if the walk reached its end.
      const rows = reached === undefined ? claim?.[1] : claim?.[0];
      this.watermarks.set(key, { time: query.newest, unless: shortOf(stage, query.unless), rows });
    } else if (short !== undefined) this.watermarks.set(key, toTheEnd);
    if (capped === true || short !== undefined || reached === null) this.#lose(query);
    else this.extents.note(stage, query.params, { time: reached ?? -Infinity, gone: gone ?? Infinity, watermarks: [key] });
  }

  /** The next update walks these queries to their end. */
  forget(watermarks: readonly bigint[]): void {
    for (const key of watermarks) this.watermarks.set(key, toTheEnd);
  }

  /** Rows of this query that weren't found may still exist. */
  #lose({ stage, params }: Pick<StageQuery, 'stage' | 'params'>): void {
    const known = this.#flow.byName.get(stage)!;
    if (known.since !== undefined) this.extents.note(known, params, nothingKnown);
  }

  #skip(unchanged: readonly Unchanged[]): void {
    for (const [index, params] of unchanged) {
      const stage = this.#stage(index);
      this.counts.get(stage.name)!.unchanged += 1;
      this.current.add(watermarkKey(stage, params));
      this.#lose({ stage: stage.name, params });
    }
  }

  #splits({ stage }: StageQuery): boolean {
    return this.#flow.byName.get(stage)!.split !== undefined;
  }

  #isUnexpected(query: StageQuery, rows: number): boolean {
    const { rowsPerQuery } = this.#flow.byName.get(query.stage)!.expect ?? {};
    return rowsPerQuery !== undefined && !isWithin(rows, rowsPerQuery);
  }

  /** The query from the start, in one of its operation's orders. */
  #again(query: StageQuery, rewalk: Rewalk): StageQuery {
    const stage = this.#flow.byName.get(query.stage)!;
    const params = inOrder(stage, query.params, rewalk.order);
    return { ...query, rewalk, walk: startWalk(stage.operation.spec, params, stage.walk), delivered: undefined };
  }

  /** Walks that must start over, because another process requested their pages. */
  get interrupted(): readonly StageQuery[] {
    const isInterrupted = ({ stage, walk }: StageQuery): boolean => {
      const { paging } = this.#flow.byName.get(stage)!.operation.spec;
      return pagingKindOf(paging).isCounted(paging, walk.query);
    };
    return Array.from(this.waiting.values()).filter(isInterrupted);
  }

  #startOver(query: StageQuery): StageQuery {
    const stage = this.#flow.byName.get(query.stage)!;
    const walk = startWalk(stage.operation.spec, inOrder(stage, query.params, query.rewalk?.order ?? 0), stage.walk);
    const next = queryWith({ ...query, walk, delivered: query.walk.pages + (query.delivered ?? 0) });
    this.waiting.set(query.number, next);
    return next;
  }

  #failure(query: StageQuery, { failure, found = [], left = 0 }: FailureStep): StageQuery[] {
    this.#fail(query, failure);
    this.counts.get(query.stage)!.capped += left;
    return found.map((each) => this.#find(each, query.parent));
  }

  #postpone({ number, parent }: StageQuery, { found = [] }: LateStep): StageQuery[] {
    this.late.add(number);
    return found.map((each) => this.#find(each, parent));
  }

  #fail(query: StageQuery, failure: QueryFailure, got: number = query.walk.items): void {
    const counts = this.counts.get(query.stage)!;
    counts.waiting -= 1;
    counts.failed += 1;
    this.#lose(query);
    this.waiting.delete(query.number);
    this.failed.set(query.number, { query, failure: { ...failure, message: this.#once(failure.message) }, got });
  }

  #once(message: string): string {
    const known = this.#messages.get(message);
    if (known === undefined && this.#messages.size < 1000) this.#messages.set(message, message);
    return known ?? message;
  }

  #find([index, params, kept, claimed, tile, unless]: JournalFound, parent: Lineage | undefined): StageQuery {
    const stage = this.#stage(index);
    const walk = startWalk(stage.operation.spec, params, stage.walk);
    const number = this.#next++;
    const from = { kept: kept ?? undefined, claimed: claimed ?? undefined, tile: tile ?? undefined, unless, parent };
    const query = queryWith({ number, stage: stage.name, params, ...from, walk });
    if (stage.since !== undefined) this.current.add(watermarkKey(stage, params));
    this.waiting.set(query.number, query);
    this.counts.get(stage.name)!.waiting += 1;
    return query;
  }

  #stage(index: number): FlowStage {
    const stage = this.#flow.stages[index];
    if (stage === undefined) throw new RangeError(`the flow has no stage number ${index}`);
    return stage;
  }
}

/**
 * A query with every field. Each spread copy of a copy would have a shape of its own, and V8 compiles what reads queries
 * again for each shape.
 */
function queryWith(query: StageQuery): StageQuery {
  const { number, stage, params, kept, parent, walk, claimed, tile, unless, newest, news, ids, rewalk, delivered } = query;
  return { number, stage, params, kept, parent, walk, claimed, tile, unless, newest, news, ids, rewalk, delivered };
}

function isTile([, , , , tile]: JournalFound): boolean {
  return tile?.number !== undefined;
}

const fromTheStart: Rewalk = { order: 0, idle: 0, fresh: 0, gained: 0 };

/** How many pages were delivered before, once the walk is here. */
function deliveredAfter({ delivered = 0, walk: before }: StageQuery, walk: StageQuery['walk']): number | undefined {
  const left = delivered - (walk.pages - before.pages);
  return left > 0 ? left : undefined;
}

/** The query with what a page tells of its newest row, of rows that are new to an update, and of those that are new to a repeated walk. */
function withNews(query: StageQuery, { newest, news, ids }: PageStep): StageQuery {
  const { rewalk } = query;
  if (newest === undefined && news === undefined && rewalk === undefined) return query;
  const fresh = rewalk === undefined || ids === undefined ? 0 : idsOf(ids).length;
  return {
    ...query,
    rewalk: rewalk && { ...rewalk, fresh: rewalk.fresh + fresh, gained: rewalk.gained + fresh },
    newest: newest ?? query.newest,
    news: (query.news ?? 0) + (news ?? 0),
  };
}

function countFilled({ filled }: StageCounts, more: { readonly [field: string]: number }): void {
  for (const [field, count] of Object.entries(more)) filled.set(field, (filled.get(field) ?? 0) + count);
}

/** How a walk ended that has too few rows. undefined if it has enough, or if the number is unknown. */
export function shortEndOf({ claim, short, because }: PageStep): ShortEnd | undefined {
  if (short === undefined || claim === undefined) return undefined;
  return { got: claim[0], claimed: claim[1], final: short === 'final', because };
}
