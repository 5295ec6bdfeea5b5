import { Saturation } from '../../../operators/estimate/Saturation.ts';
import { bothPlaces } from '../../../operators/split/RowPlaces.ts';
import { moveWalk } from '../../../operators/walk/moveWalk.ts';
import { SecondLooks } from '../../../operators/walk/SecondLooks.ts';
import { startWalk } from '../../../operators/walk/startWalk.ts';
import { pagingKindOf } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { isWithin, type QueryParams } from '../definition/flowFormat.ts';
import { digestOf, queryKey } from '../query/queryKey.ts';
import { inOrder, type FoundQuery, type Lineage, type Rewalk, type StageQuery } from '../query/StageQuery.ts';
import { failedTile, StageCovers, type CoverStep } from '../split/StageCovers.ts';
import type { TileState } from '../split/StageSplit.ts';
import { DigestSet } from './DigestSet.ts';
import { StageCaptures } from './StageCaptures.ts';
import {
  digestCount,
  digestsOf,
  idsOf,
  spotsIn,
  type Carried,
  type JournalFound,
  type JournalStep,
  type PageStep,
  type QueryFailure,
  type Retry,
  type SeedsStep,
  type Unchanged,
} from './JournalRecord.ts';
import { addCounts, startCounts, type AddedCounts, type StageCounts } from './stageCounters.ts';
import { everything, WalkExtent, type Extent } from './WalkExtent.ts';

/** A page of a tile, as the journal tells it. */
export interface RecalledTile {
  readonly stage: FlowStage;
  readonly query: StageQuery;
  /** The rows of the tile so far. */
  readonly rows: number;
  readonly covered: CoverStep;
}

/** How a query ended that has too few rows. */
export interface ShortEnd {
  readonly got: number;
  readonly claimed: number;
  /** Repeating it in every order brought no more rows. */
  readonly final: boolean;
  /** Why it couldn't continue. Absent if it came to an end. */
  readonly because?: string | undefined;
}

/** A query that ended, and what its end has added to the counters. Both are taken back if it waits again. */
interface EndedQuery {
  readonly query: StageQuery;
  readonly added: AddedCounts;
}

/** A query that ended with too few rows. */
type ShortQuery = EndedQuery & ShortEnd;

export interface FailedQuery extends EndedQuery {
  readonly failure: QueryFailure;
  /** Its rows so far. */
  readonly got: number;
}

export interface SeedsState {
  position: number;
  crc: number;
  ended: boolean;
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
  /** The first queries of each stage that ended without a row. */
  readonly empty: Map<string, readonly QueryParams[]> = new Map();
  /** A query of each stage whose page came, as it was requested. */
  readonly served: Map<string, StageQuery> = new Map();
  /** This run requests only queries that failed before, and knows nothing about the others. */
  isRetry = false;
  readonly seen: AlreadySeen = new AlreadySeen();
  readonly walks: WalkExtent = new WalkExtent();
  /** The areas that are covered. */
  readonly covers: StageCovers = new StageCovers();
  /** How many queries found each row, by stage. */
  readonly captures: ReadonlyMap<string, StageCaptures>;
  /** How many rows of the latest requests are new, for stages that stop when too few are. */
  readonly #saturations: ReadonlyMap<string, Saturation>;
  /** Queries that are retried although their stage is saturated. */
  readonly #retried = new Set<number>();
  /** Operations whose pages have a token each. */
  readonly #changing = new Set<string>();
  /** What second looks at pages have found so far, by operation. */
  readonly #secondLooks = new Map<string, SecondLooks>();
  readonly #flow: Flow;
  /** Messages of failures, each kept once: most queries fail for the same reason. */
  readonly #messages = new Map<string, string>();
  #next = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.counts = new Map(flow.stages.map(({ name }) => [name, startCounts()]));
    this.#saturations = new Map(
      flow.stages.flatMap(({ name, definition: { stop } }) => (stop === undefined ? [] : [[name, new Saturation(stop)] as const])),
    );
    this.captures = new Map(flow.stages.filter(({ counted }) => counted.length > 0).map((stage) => [stage.name, new StageCaptures(stage)]));
    this.seeds = new Map(
      flow.stages.filter((stage) => stage.parents.length === 0).map(({ name }) => [name, { position: 0, crc: 0, ended: false }]),
    );
  }

  /** A stage gets too few new rows, so no further request of it is sent. */
  isSaturated(stage: string): boolean {
    return this.#saturations.get(stage)?.is === true;
  }

  /** Whether a query waits, but is never requested. */
  isOver({ stage, number }: StageQuery): boolean {
    return this.isSaturated(stage) && !this.#retried.has(number);
  }

  /** Queries of a stage that are still to be requested. */
  leftIn(stage: string): number {
    if (!this.isSaturated(stage)) return this.counts.get(stage)!.waiting;
    return Array.from(this.#retried).filter((number) => this.waiting.get(number)?.stage === stage).length;
  }

  /** Queries of all stages that are still to be requested. */
  get left(): number {
    return this.#flow.stages.reduce((sum, { name }) => sum + this.leftIn(name), 0);
  }

  /** Returns the queries that are new, and counts them as found. A step that records them must follow. */
  onlyNew(found: readonly FoundQuery[]): FoundQuery[] {
    return found.filter(({ stage, params, tile }) => this.seen.isNewQuery(this.#flow.byName.get(stage)!, params, tile));
  }

  /**
   * Applies a step. Returns the queries that wait because of it: the next page of this query first, then the queries found.
   * `next` is the next state of the query's walk, if it is known already.
   */
  apply(step: JournalStep, next?: StageQuery['walk']): StageQuery[] {
    if (step.kind === 'seeds') return this.#seeds(step);
    const query = this.#waitingFor(step);
    if (step.kind === 'page') return this.#page(query, step, next);
    if (step.kind === 'again') return [this.#startOver(query)];
    if (step.kind === 'job') {
      this.waiting.set(query.number, queryWith({ ...query, job: step.address }));
      return [];
    }
    if (step.kind === 'late') this.late.add(query.number);
    else {
      this.#fail(query, step.failure);
      this.captures.get(query.stage)?.end(query.number);
      this.counts.get(query.stage)!.capped += step.left ?? 0;
    }
    return (step.found ?? []).map((found) => this.#find(found, query.parent));
  }

  /** For steps written by another process, before they are applied: counts their content as found and seen. Returns the tile that it is about. */
  recall(step: JournalStep): RecalledTile | undefined {
    if (step.kind === 'again' || step.kind === 'job') return undefined;
    if (step.kind === 'seeds' || step.kind === 'page') {
      for (const [stage, params, , , tile] of step.found ?? [])
        if (tile?.number === undefined) this.seen.isNewQuery(this.#stage(stage), params, tile);
      for (const [stage, params] of step.unchanged ?? []) this.seen.isNewQuery(this.#stage(stage), params);
    }
    if (step.kind === 'seeds') {
      for (const area of step.areas ?? []) this.seen.isNewQuery(this.#stage(step.stage), area[1], area[4]);
      if (step.areas !== undefined) this.startAreas(this.#stage(step.stage), step.areas);
      return undefined;
    }
    const query = this.#waitingFor(step);
    const stage = this.#stageOf(query);
    if (step.kind === 'late') this.covers.pass(stage, query);
    else if (step.kind === 'failure') {
      if (stage.split?.kind === 'area') this.covers.take(stage, query, failedTile);
      for (const [index, params, , , tile] of step.found ?? [])
        if (tile?.number === undefined) this.seen.isNewQuery(this.#stage(index), params, tile);
    } else {
      if (step.keys !== undefined) for (const key of digestsOf(step.keys)) this.seen.isNewKey(stage.name, key);
      if (step.tile !== undefined && query.tile !== undefined)
        return {
          stage,
          query,
          rows: query.walk.items + step.received,
          covered: this.covers.take(stage, query, { ...step.tile, spots: spotsIn(step.tile.spots) }),
        };
    }
    return undefined;
  }

  /** Whether repeated queries wait. If so, every earlier step needs `recallIds`. */
  get rewalks(): boolean {
    return Array.from(this.waiting.values()).some(({ rewalk }) => rewalk !== undefined);
  }

  /** Walks that must start over, because another process requested their pages. */
  get interrupted(): readonly StageQuery[] {
    return Array.from(this.waiting.values()).filter((query) => {
      const { paging } = this.#stageOf(query).operation.spec;
      return !this.isOver(query) && pagingKindOf(paging).isCounted(paging, query.walk.query);
    });
  }

  /** Walks that got one token: the next page shows whether the service counts the pages of such a token itself. */
  get doubtful(): readonly number[] {
    return Array.from(this.waiting.values())
      .filter((query) => {
        const { seen, pages } = query.walk;
        return seen?.size === 1 && pages > 0 && !this.isOver(query) && !this.changesTokens(this.#stageOf(query).operation.name);
      })
      .map(({ number }) => number);
  }

  /** Whether each page of an operation has a token of its own. */
  changesTokens(operation: string): boolean {
    return this.#changing.has(operation);
  }

  /** Each page of an operation has a token of its own. */
  learnTokens(operation: string): void {
    this.#changing.add(operation);
  }

  /** Remembers the rows of a step whose query is repeated. */
  recallIds(step: JournalStep): void {
    if (step.kind !== 'page' || step.ids === undefined || this.waiting.get(step.query)?.rewalk === undefined) return;
    for (const id of idsOf(step.ids)) this.seen.isNewId(step.query, id);
  }

  /** Starts to cover areas. Returns the first tiles. */
  startAreas(stage: FlowStage, areas: readonly JournalFound[]): FoundQuery[] {
    return areas.flatMap(([, params, kept, , tile, unless]) =>
      this.covers.start(stage, { stage: stage.name, params, kept: kept ?? undefined, tile: tile ?? undefined, unless }),
    );
  }

  /** What second looks at the pages of the stage's operation have found so far. */
  secondLooksOf({ operation }: FlowStage): SecondLooks {
    let looks = this.#secondLooks.get(operation.name);
    if (looks === undefined) this.#secondLooks.set(operation.name, (looks = new SecondLooks()));
    return looks;
  }

  /** Requests these queries, and reads no seeds. */
  retry({ failed, short }: Retry): void {
    this.isRetry = true;
    for (const seeds of this.seeds.values()) seeds.ended = true;
    for (const found of [...failed, ...short]) {
      this.seen.isNewQuery(this.#stage(found[0]), found[1], found[4]);
      const query = this.#find(found, undefined);
      if (short.includes(found)) this.waiting.set(query.number, this.#again(query, fromTheStart));
    }
  }

  /** Failed queries wait again. Short ones start over. */
  reopen(): void {
    for (const { query, added, final } of this.short.values()) if (!final) this.#takeBack(this.#again(query, fromTheStart), added);
    for (const { query, added } of this.failed.values()) this.#takeBack(query, added);
  }

  /** Counts rows of the previous run that an update has kept. */
  carry(stage: string, { rows, filled }: Carried): void {
    const counts = this.counts.get(stage);
    if (counts !== undefined) addCounts(counts, { rows }, filled);
  }

  /** The walk of the update that would have found a row. undefined: it didn't look where the row would be. */
  walkOver(stage: FlowStage, row: object): Extent | undefined {
    if (stage.since === undefined) return this.#isWhole(stage) ? everything : undefined;
    return this.isRetry ? undefined : this.walks.over(stage, row, this.hasWholeParents(stage));
  }

  /** Whether all stages above were walked to the end everywhere. */
  hasWholeParents({ parents }: FlowStage): boolean {
    return parents.every((parent) => this.#isWhole(this.#flow.byName.get(parent)!));
  }

  #isWhole(stage: FlowStage): boolean {
    const { failed, capped, short, waiting, skipped, suspect } = this.counts.get(stage.name)!;
    const isCut =
      this.isRetry ||
      this.isSaturated(stage.name) ||
      stage.since !== undefined ||
      failed + capped + short + waiting + skipped + suspect > 0;
    return !isCut && this.hasWholeParents(stage);
  }

  #seeds({ stage, position, crc, ended, found, unchanged }: SeedsStep): StageQuery[] {
    const seeds = this.seeds.get(this.#stage(stage).name);
    if (seeds !== undefined) Object.assign(seeds, { position, crc, ended: ended === true });
    if (unchanged !== undefined) this.#skip(unchanged);
    return found.map((one) => this.#find(one, undefined));
  }

  #page(before: StageQuery, step: PageStep, walk: StageQuery['walk'] | undefined): StageQuery[] {
    const query = withNews(before, step);
    const stage = this.#stageOf(query);
    this.served.set(query.stage, before);
    const counts = this.counts.get(query.stage)!;
    counts.pages += 1;
    counts.rows += step.written;
    counts.capped += step.tile?.left ?? 0;
    addCounts(counts, step.counts ?? {}, step.filled);
    if (step.doubted !== undefined) this.secondLooksOf(stage).learn(step.doubted, query.walk.query);
    if (step.unchanged !== undefined) this.#skip(step.unchanged);
    if (step.counts?.skipped !== undefined || step.counts?.suspect !== undefined) this.walks.lose(stage, query.params);
    this.#saturations.get(stage.name)?.add(digestCount(step.keys) + digestCount(step.again), digestCount(step.keys));
    const next = this.#after(stage, query, step, walk);
    this.captures.get(stage.name)?.take(query, step, next === undefined);
    const after = next === undefined ? [] : [next];
    if (next !== undefined) this.waiting.set(next.number, next);
    if (step.found === undefined) return after;
    const parent: Lineage = { stage: query.stage, params: query.params, page: query.walk.query, parent: query.parent };
    // a tile comes from its area, not from the tile whose end made room for it
    for (const found of step.found) after.push(this.#find(found, isTile(found) ? query.parent : parent));
    return after;
  }

  /** The query as it waits after a page. undefined: it has ended, or failed. */
  #after(stage: FlowStage, query: StageQuery, step: PageStep, walk: StageQuery['walk'] | undefined): StageQuery | undefined {
    if (step.next !== undefined) {
      const { name, spec } = stage.operation;
      const moved = walk ?? moveWalk(spec, query.walk, step.next, stage.walk);
      if ((moved.seen?.size ?? 0) > 1 && !pagingKindOf(spec.paging).isCounted(spec.paging, moved.query)) this.learnTokens(name);
      return queryWith({
        ...query,
        walk: moved,
        places: bothPlaces(query.places, step.places),
        job: undefined,
        delivered: deliveredAfter(query, moved),
      });
    }
    if (step.rewalk !== undefined) return this.#again(query, { ...step.rewalk, fresh: 0, gained: query.rewalk?.gained ?? 0 });
    if (step.failure !== undefined)
      this.#fail({ ...query, delivered: query.delivered ?? 1 }, step.failure, query.walk.items + step.received);
    else this.#end(stage, query, step);
    return undefined;
  }

  #end(stage: FlowStage, query: StageQuery, step: PageStep): void {
    const [got, claimed] = step.claim ?? [0, 0];
    const rows = step.claim === undefined ? query.walk.items + step.received : got;
    const { rowsPerQuery } = stage.expect ?? {};
    const short = shortEndOf(step);
    const added = {
      waiting: -1,
      done: 1,
      capped: step.capped === true ? 1 : 0,
      short: short === undefined ? 0 : 1,
      nearly: short === undefined && got < claimed ? 1 : 0,
      got,
      claimed,
      unexpected: rowsPerQuery === undefined || isWithin(rows, rowsPerQuery) ? 0 : 1,
      empty: rows === 0 && stage.split === undefined ? 1 : 0,
    };
    this.#close(query, added);
    if (added.empty === 1) this.#name(query);
    this.seen.forgetIds(query.number);
    this.walks.end(stage, query, step);
    if (short !== undefined) this.short.set(query.number, { query, added, ...short });
  }

  #fail(query: StageQuery, failure: QueryFailure, got: number = query.walk.items): void {
    this.#close(query, oneFailed);
    this.walks.lose(this.#stageOf(query), query.params);
    this.failed.set(query.number, {
      query: { ...query, tile: query.tile?.range === undefined ? query.tile : alone(query.tile), job: undefined },
      added: oneFailed,
      failure: { ...failure, message: this.#once(failure.message) },
      got,
    });
  }

  #close({ number, stage }: StageQuery, added: AddedCounts): void {
    this.waiting.delete(number);
    addCounts(this.counts.get(stage)!, added);
  }

  #name({ stage, params }: StageQuery): void {
    const known = this.empty.get(stage) ?? [];
    if (known.length < namedQueries) this.empty.set(stage, [...known, params]);
  }

  #takeBack(query: StageQuery, added: AddedCounts): void {
    addCounts(this.counts.get(query.stage)!, added, undefined, -1);
    const named = this.empty.get(query.stage);
    if (named?.includes(query.params) === true)
      this.empty.set(
        query.stage,
        named.filter((params) => params !== query.params),
      );
    this.#retried.add(query.number);
    this.short.delete(query.number);
    this.failed.delete(query.number);
    this.waiting.set(query.number, query);
  }

  #skip(unchanged: readonly Unchanged[]): void {
    for (const [index, params] of unchanged) {
      const stage = this.#stage(index);
      this.counts.get(stage.name)!.unchanged += 1;
      this.walks.found(stage, params);
      this.walks.lose(stage, params);
    }
  }

  /** The query from the start, in one of its operation's orders. */
  #again(query: StageQuery, rewalk: Rewalk): StageQuery {
    const stage = this.#stageOf(query);
    const params = inOrder(stage, query.params, rewalk.order);
    const walk = startWalk(stage.operation.spec, params, stage.walk);
    return { ...query, rewalk, walk, places: undefined, job: undefined, delivered: undefined };
  }

  #startOver(query: StageQuery): StageQuery {
    const stage = this.#stageOf(query);
    const walk = startWalk(stage.operation.spec, inOrder(stage, query.params, query.rewalk?.order ?? 0), stage.walk);
    const next = queryWith({ ...query, walk, job: undefined, delivered: query.walk.pages + (query.delivered ?? 0) });
    this.waiting.set(query.number, next);
    return next;
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
    this.walks.found(stage, params);
    this.waiting.set(query.number, query);
    this.counts.get(stage.name)!.waiting += 1;
    return query;
  }

  #waitingFor(step: Exclude<JournalStep, SeedsStep>): StageQuery {
    const query = this.waiting.get(step.query);
    if (query === undefined) throw new RangeError(`a step for query ${step.query}, which isn't waiting`);
    return query;
  }

  #stageOf({ stage }: StageQuery): FlowStage {
    return this.#flow.byName.get(stage)!;
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
  const { number, stage, params, kept, parent, walk, claimed, tile, places, unless, newest, news, rewalk, job, delivered } = query;
  return { number, stage, params, kept, parent, walk, claimed, tile, places, unless, newest, news, rewalk, job, delivered };
}

/** Whether a query comes from an area or a range, and not from the query whose end led to it. */
function isTile([, , , , tile]: JournalFound): boolean {
  return tile?.number !== undefined || tile?.range !== undefined;
}

/** A piece of a range that failed. The sweep has gone on from it. */
function alone(tile: TileState): TileState {
  return { ...tile, range: tile.range && { ...tile.range, end: tile.range.last } };
}

/** So many queries without rows are named in each stage. */
const namedQueries = 5;
const oneFailed: AddedCounts = { waiting: -1, failed: 1 };
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

/** How a walk ended that has too few rows. undefined if it has enough, or if the number is unknown. */
export function shortEndOf({ claim, short, because }: PageStep): ShortEnd | undefined {
  if (short === undefined || claim === undefined) return undefined;
  return { got: claim[0], claimed: claim[1], final: short === 'final', because };
}

/** What a run has seen: the queries it found, the keys of its rows, and the rows of queries that are repeated. */
class AlreadySeen {
  readonly #queries = new DigestSet();
  readonly #keys = new Map<string, DigestSet>();
  readonly #ids = new Map<number, Set<number>>();

  /** Whether a query is new. From now on it isn't. The same query over two areas is two. */
  isNewQuery(stage: FlowStage, params: QueryParams, tile?: TileState | null): boolean {
    return this.#queries.add(digestOf(queryKey(stage, params) + (tile?.area ?? '')));
  }

  /** Whether this key is new to the stage. From now on it isn't. */
  isNewKey(stage: string, key: bigint): boolean {
    let keys = this.#keys.get(stage);
    if (keys === undefined) this.#keys.set(stage, (keys = new DigestSet()));
    return keys.add(key);
  }

  /** Whether a row is new to a repeated query. From now on it isn't. */
  isNewId(query: number, id: number): boolean {
    let ids = this.#ids.get(query);
    if (ids === undefined) this.#ids.set(query, (ids = new Set()));
    return ids.size < ids.add(id).size;
  }

  /** The rows of a repeated query. */
  idCount(query: number): number {
    return this.#ids.get(query)?.size ?? 0;
  }

  forgetIds(query: number): void {
    this.#ids.delete(query);
  }
}
