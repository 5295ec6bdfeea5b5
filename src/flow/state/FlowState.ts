import { bothPlaces } from '../../../operators/split/RowPlaces.ts';
import { moveWalk } from '../../../operators/walk/moveWalk.ts';
import { SecondLooks } from '../../../operators/walk/SecondLooks.ts';
import { pagingKindOf } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { isWithin } from '../definition/flowFormat.ts';
import type { FoundQuery, Lineage, StageQuery } from '../query/StageQuery.ts';
import { StageCovers } from '../split/StageCovers.ts';
import { AlreadySeen } from './AlreadySeen.ts';
import { foundQuery, digestCount, idsOf } from './journalTexts.ts';
import type { Carried, JournalFound, JournalStep, PageStep, QueryFailure, Retry, SeedsStep, Unchanged } from './JournalRecord.ts';
import { addCounts } from './stageCounters.ts';
import { StageCaptures } from './StageCaptures.ts';
import { queryWith, StageQueries, type ShortEnd } from './StageQueries.ts';
import { everything, WalkExtent, type Extent } from './WalkExtent.ts';

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
  readonly queries: StageQueries;
  readonly seeds: ReadonlyMap<string, SeedsState>;
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
  /** Operations whose pages have a token each. */
  readonly changingTokens: Set<string> = new Set();
  /** What second looks at pages have found so far, by operation. */
  readonly #secondLooks = new Map<string, SecondLooks>();

  constructor(flow: Flow) {
    this.queries = new StageQueries(flow);
    this.captures = new Map(flow.stages.filter(({ counted }) => counted.length > 0).map((stage) => [stage.name, new StageCaptures(stage)]));
    this.seeds = new Map(
      flow.stages.filter((stage) => stage.parents.length === 0).map(({ name }) => [name, { position: 0, crc: 0, ended: false }]),
    );
  }

  /** Returns the queries that are new, and counts them as found. A step that records them must follow. */
  onlyNew(found: readonly FoundQuery[]): FoundQuery[] {
    return found.filter((one) => this.seen.isNewQuery(this.queries.stageOf(one), one.params, one.tile));
  }

  /**
   * Applies a step. Returns the queries that wait because of it: the next page of this query first, then the queries found.
   * `next` is the next state of the query's walk, if it is known already.
   */
  apply(step: JournalStep, next?: StageQuery['walk']): StageQuery[] {
    if (step.kind === 'seeds') return this.#seeds(step);
    const query = this.queries.waitingFor(step);
    if (step.kind === 'page') return this.#page(query, step, next);
    if (step.kind === 'again') return [this.queries.startOver(query)];
    if (step.kind === 'job') {
      this.queries.waiting.set(query.number, queryWith({ ...query, job: step.address }));
      return [];
    }
    if (step.kind === 'late') this.queries.late.add(query.number);
    else {
      this.#fail(query, step.failure);
      this.captures.get(query.stage)?.end(query.number);
      this.queries.counts.get(query.stage)!.capped += step.left ?? 0;
    }
    return (step.found ?? []).map((found) => this.#find(found, query.parent));
  }

  /** Waiting queries that are walked again and know their rows, so every earlier step needs `recallIds`. `others`: those that may be. */
  walkedAgain(others: ReadonlySet<number>): ReadonlySet<number> {
    const isAgain = ({ number, rewalk, counted }: StageQuery): boolean => rewalk !== undefined || counted === true || others.has(number);
    const again = Array.from(this.queries.waiting.values()).filter(
      (query) => isAgain(query) && this.queries.stageOf(query).identity !== undefined,
    );
    return new Set(again.map(({ number }) => number));
  }

  /** Walks that must start over, because another process requested their pages. */
  get interrupted(): readonly StageQuery[] {
    return Array.from(this.queries.waiting.values()).filter((query) => {
      const { paging } = this.queries.stageOf(query).operation.spec;
      return !this.queries.isOver(query) && pagingKindOf(paging).isCounted(paging, query.walk.query);
    });
  }

  /**
   * Walks that got one token: the next page shows whether the service counts the pages of such a token itself. A last page that is only
   * looked at once more has come.
   */
  get doubtful(): readonly number[] {
    return Array.from(this.queries.waiting.values())
      .filter((query) => {
        const { seen, pages, second } = query.walk;
        const isOneToken = seen?.size === 1 && pages > 0 && (second === undefined || second.doubt === 'idle');
        return isOneToken && !this.queries.isOver(query) && !this.changingTokens.has(this.queries.stageOf(query).operation.name);
      })
      .map(({ number }) => number);
  }

  /** Starts to cover areas. Returns the first tiles. */
  startAreas(stage: FlowStage, areas: readonly JournalFound[]): FoundQuery[] {
    return areas.flatMap((area) => this.covers.start(stage, foundQuery(stage, area)));
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
      this.seen.isNewQuery(this.queries.stageAt(found[0]), found[1], found[4]);
      const query = this.#find(found, undefined);
      if (short.includes(found)) this.queries.waiting.set(query.number, this.queries.again(query));
    }
  }

  /** Counts rows of the previous run that an update has kept. */
  carry(stage: string, { rows, filled }: Carried): void {
    const counts = this.queries.counts.get(stage);
    if (counts !== undefined) addCounts(counts, { rows }, filled);
  }

  /** The walk of the update that would have found a row. undefined: it didn't look where the row would be. */
  walkOver(stage: FlowStage, row: object): Extent | undefined {
    if (stage.since === undefined) return this.#isWhole(stage) ? everything : undefined;
    return this.isRetry ? undefined : this.walks.over(stage, row, this.hasWholeParents(stage));
  }

  /** Whether all stages above were walked to the end everywhere. */
  hasWholeParents({ parents }: FlowStage): boolean {
    return parents.every((parent) => this.#isWhole(this.queries.stageOf({ stage: parent })));
  }

  #isWhole(stage: FlowStage): boolean {
    const { failed, capped, short, waiting, skipped, suspect } = this.queries.counts.get(stage.name)!;
    const isPartial =
      this.isRetry ||
      this.queries.isSaturated(stage.name) ||
      stage.since !== undefined ||
      failed + capped + short + waiting + skipped + suspect > 0;
    return !isPartial && this.hasWholeParents(stage);
  }

  #seeds({ stage, position, crc, ended, unused, found, unchanged }: SeedsStep): StageQuery[] {
    const { name } = this.queries.stageAt(stage);
    const seeds = this.seeds.get(name);
    addCounts(this.queries.counts.get(name)!, { unused });
    if (seeds !== undefined) Object.assign(seeds, { position, crc, ended: ended === true });
    if (unchanged !== undefined) this.#skip(unchanged);
    return found.map((one) => this.#find(one, undefined));
  }

  #page(before: StageQuery, step: PageStep, walk: StageQuery['walk'] | undefined): StageQuery[] {
    const query = withAdded(before, step);
    const stage = this.queries.stageOf(query);
    this.served.set(query.stage, before);
    const counts = this.queries.counts.get(query.stage)!;
    counts.pages += 1;
    counts.rows += step.written;
    counts.capped += step.tile?.left ?? 0;
    addCounts(counts, step.counts ?? {}, step.filled);
    if (step.doubted !== undefined) this.secondLooksOf(stage).learn(step.doubted, query.walk.query);
    if (step.unchanged !== undefined) this.#skip(step.unchanged);
    if (step.counts?.skipped !== undefined || step.counts?.suspect !== undefined) this.walks.lose(stage, query.params);
    this.queries.countNew(stage.name, digestCount(step.keys) + digestCount(step.again), digestCount(step.keys));
    const next = this.#after(stage, query, step, walk);
    this.captures.get(stage.name)?.take(query, step, next === undefined);
    const after = next === undefined ? [] : [next];
    if (next !== undefined) this.queries.waiting.set(next.number, next);
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
      if ((moved.seen?.size ?? 0) > 1 && !pagingKindOf(spec.paging).isCounted(spec.paging, moved.query)) this.changingTokens.add(name);
      return queryWith({
        ...query,
        walk: moved,
        places: bothPlaces(query.places, step.places),
        job: undefined,
        delivered: deliveredAfter(query, moved),
      });
    }
    if (step.rewalk !== undefined) return this.queries.again(query, { ...step.rewalk, added: 0, gained: query.rewalk?.gained ?? 0 });
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
    this.seen.forgetIds(query.number);
    this.walks.end(stage, query, step);
    this.queries.end(query, added, short);
  }

  #fail(query: StageQuery, failure: QueryFailure, got: number = query.walk.items): void {
    this.walks.fail(this.queries.stageOf(query), query);
    this.queries.fail(query, failure, got);
  }

  #skip(unchanged: readonly Unchanged[]): void {
    for (const [index, params] of unchanged) {
      const stage = this.queries.stageAt(index);
      this.queries.counts.get(stage.name)!.unchanged += 1;
      this.walks.found(stage, params);
      this.walks.lose(stage, params);
    }
  }

  #find(found: JournalFound, parent: Lineage | undefined): StageQuery {
    this.walks.found(this.queries.stageAt(found[0]), found[1]);
    return this.queries.add(found, parent);
  }
}

/** Whether a query comes from an area or a range, and not from the query whose end led to it. */
function isTile([, , , , tile]: JournalFound): boolean {
  return tile?.number !== undefined || tile?.range !== undefined;
}

/** How many pages were delivered before, once the walk is here. */
function deliveredAfter({ delivered = 0, walk: before }: StageQuery, walk: StageQuery['walk']): number | undefined {
  const left = delivered - (walk.pages - before.pages);
  return left > 0 ? left : undefined;
}

/** The query with what a page tells of its newest row, of rows that are new to an update, and of those that are new to a repeated walk. */
function withAdded(query: StageQuery, { newest, added, ids }: PageStep): StageQuery {
  const { rewalk, growth } = query;
  if (newest === undefined && added === undefined && rewalk === undefined) return query;
  const gained = rewalk === undefined || ids === undefined ? 0 : idsOf(ids).length;
  return {
    ...query,
    rewalk: rewalk && { ...rewalk, added: rewalk.added + gained, gained: rewalk.gained + gained },
    growth: { ...growth, newest: newest ?? growth?.newest, added: (growth?.added ?? 0) + (added ?? 0) },
  };
}

/** How a walk ended that has too few rows. undefined if it has enough, or if the number is unknown. */
export function shortEndOf({ claim, short, because }: PageStep): ShortEnd | undefined {
  if (short === undefined || claim === undefined) return undefined;
  return { got: claim[0], claimed: claim[1], final: short === 'final', because };
}
