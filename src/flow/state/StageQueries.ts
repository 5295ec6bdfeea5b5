import { Saturation } from '../../../operators/estimate/Saturation.ts';
import { startWalk } from '../../../operators/walk/startWalk.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { inOrder, type Lineage, type Rewalk, type StageQuery } from '../query/StageQuery.ts';
import type { TileState } from '../split/StageSplit.ts';
import { foundQuery } from './journalTexts.ts';
import type { JournalFound, QueryFailure } from './JournalRecord.ts';
import { addCounts, startCounts, type AddedCounts, type StageCounts } from './stageCounters.ts';

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

/** So many queries without rows are named in each stage. */
const namedQueries = 5;
/** So many different messages of failures are kept once. */
const maxMessages = 1000;
const oneFailed: AddedCounts = { waiting: -1, failed: 1 };
const fromTheStart: Rewalk = { order: 0, idle: 0, added: 0, gained: 0 };

/**
 * The queries of a run: those that wait, those that failed or are short and may wait again, and what all of them add to the
 * counters of their stages.
 */
export class StageQueries {
  readonly counts: ReadonlyMap<string, StageCounts>;
  /** By number. */
  readonly waiting: Map<number, StageQuery> = new Map();
  /** Those that come after all others. */
  readonly late: Set<number> = new Set();
  readonly failed: Map<number, FailedQuery> = new Map();
  readonly short: Map<number, ShortQuery> = new Map();
  /** The first queries of each stage that ended without a row. */
  readonly empty: Map<string, readonly QueryParams[]> = new Map();
  readonly #flow: Flow;
  /** How many rows of the latest requests are new, for stages that stop when too few are. */
  readonly #saturations: ReadonlyMap<string, Saturation>;
  /** Queries that are retried although their stage is saturated. */
  readonly #retried = new Set<number>();
  /** Messages of failures: most queries fail for the same reason. */
  readonly #messages = new Map<string, string>();
  #next = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.counts = new Map(flow.stages.map(({ name }) => [name, startCounts()]));
    this.#saturations = new Map(
      flow.stages.flatMap(({ name, definition: { stop } }) => (stop === undefined ? [] : [[name, new Saturation(stop)] as const])),
    );
  }

  stageOf({ stage }: Pick<StageQuery, 'stage'>): FlowStage {
    return this.#flow.byName.get(stage)!;
  }

  /** The stage with this number. */
  stageAt(index: number): FlowStage {
    const stage = this.#flow.stages[index];
    if (stage === undefined) throw new RangeError(`the flow has no stage number ${index}`);
    return stage;
  }

  /** The query that a step is about. */
  waitingFor(step: { readonly query: number }): StageQuery {
    const query = this.waiting.get(step.query);
    if (query === undefined) throw new RangeError(`a step for query ${step.query}, which isn't waiting`);
    return query;
  }

  /** Counts the rows of a request of a stage, and how many of them are new. */
  countNew(stage: string, rows: number, added: number): void {
    this.#saturations.get(stage)?.add(rows, added);
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

  /** Failed queries wait again. Short ones start over. `apartMs`: so long after the run was finished. */
  reopen(apartMs: number): void {
    for (const { query, added, final } of this.short.values()) if (!final) this.#takeBack(this.again(query), added);
    for (const { query, added } of this.failed.values()) this.#takeBack(this.#goesOn(query, apartMs), added);
  }

  /** A walk with `since` that failed half-way, and that goes on after a while. */
  #goesOn(query: StageQuery, apartMs: number): StageQuery {
    const { since } = this.stageOf(query);
    const isSoon = since === undefined || (apartMs >= 0 && apartMs <= since.lookbackMs);
    return query.walk.pages === 0 || isSoon ? query : queryWith({ ...query, growth: { ...query.growth, apart: true } });
  }

  /** Adds a query that was found. It gets the next number, and waits. */
  add(found: JournalFound, parent: Lineage | undefined): StageQuery {
    const stage = this.stageAt(found[0]);
    const walk = startWalk(stage.operation.spec, found[1], stage.walk);
    const query = queryWith({ number: this.#next++, ...foundQuery(stage, found), parent, walk });
    this.waiting.set(query.number, query);
    this.counts.get(stage.name)!.waiting += 1;
    return query;
  }

  /** Ends a query. `short`: how, if it has too few rows. */
  end(query: StageQuery, added: AddedCounts, short: ShortEnd | undefined): void {
    this.#close(query, added);
    if (short !== undefined) this.short.set(query.number, { query, added, ...short });
    const named = this.empty.get(query.stage) ?? [];
    if (added.empty === 1 && named.length < namedQueries) this.empty.set(query.stage, [...named, query.params]);
  }

  /** `got`: its rows so far. */
  fail(query: StageQuery, failure: QueryFailure, got: number): void {
    this.#close(query, oneFailed);
    this.failed.set(query.number, {
      query: { ...query, tile: query.tile?.range === undefined ? query.tile : alone(query.tile), job: undefined },
      added: oneFailed,
      failure: { ...failure, message: this.#once(failure.message) },
      got,
    });
  }

  /** The query from the start, in one of its operation's orders. */
  again(query: StageQuery, rewalk: Rewalk = fromTheStart): StageQuery {
    return { ...query, rewalk, walk: this.#walkIn(query, rewalk.order), places: undefined, job: undefined, delivered: undefined };
  }

  /** The query from the start. Its rows so far aren't taken again: known by their ids, or else by their pages, which only lead on. */
  startOver(query: StageQuery): StageQuery {
    const walk = this.#walkIn(query, query.rewalk?.order ?? 0);
    const { pages, second } = query.walk;
    // An empty page that was to be looked at again may have rows now.
    const isKnown = this.stageOf(query).identity !== undefined;
    const delivered = isKnown ? 0 : pages + (query.delivered ?? 0) - (second?.rows.length === 0 ? 1 : 0);
    const next = queryWith({ ...query, walk, job: undefined, delivered: delivered > 0 ? delivered : undefined, counted: true });
    this.waiting.set(query.number, next);
    return next;
  }

  #walkIn(query: StageQuery, order: number): StageQuery['walk'] {
    const stage = this.stageOf(query);
    return startWalk(stage.operation.spec, inOrder(stage, query.params, order), stage.walk);
  }

  #close({ number, stage }: StageQuery, added: AddedCounts): void {
    this.waiting.delete(number);
    addCounts(this.counts.get(stage)!, added);
  }

  #takeBack(query: StageQuery, added: AddedCounts): void {
    addCounts(this.counts.get(query.stage)!, added, undefined, -1);
    const named = this.empty.get(query.stage)?.filter((params) => params !== query.params);
    if (named !== undefined) this.empty.set(query.stage, named);
    this.#retried.add(query.number);
    this.short.delete(query.number);
    this.failed.delete(query.number);
    this.waiting.set(query.number, query);
  }

  #once(message: string): string {
    const known = this.#messages.get(message);
    if (known === undefined && this.#messages.size < maxMessages) this.#messages.set(message, message);
    return known ?? message;
  }
}

/**
 * A query with every field. Each spread copy of a copy would have a shape of its own, and V8 compiles what reads queries
 * again for each shape.
 */
export function queryWith(query: StageQuery): StageQuery {
  const { number, stage, params, kept, parent, walk, claimed, tile, places, unless, growth, rewalk, job, delivered, counted } = query;
  return { number, stage, params, kept, parent, walk, claimed, tile, places, unless, growth, rewalk, job, delivered, counted };
}

/** A piece of a range that failed. The sweep has gone on from it. */
function alone(tile: TileState): TileState {
  const { range } = tile;
  if (range === undefined) return tile;
  const { open, last, end } = range;
  return { ...tile, range: { ...range, end: last, open: [open[0], open[1] && last === end] } };
}
