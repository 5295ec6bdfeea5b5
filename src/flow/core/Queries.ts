import { startWalk } from '../../../operators/walk/Walk.ts';
import { type Flow, type FlowStage, stageOf } from '../definition/Flow.ts';
import type { JournalFound, Left, QueryFailure } from './events.ts';
import {
  begun,
  foundQuery,
  walking,
  type BegunQuery,
  type FailedQuery,
  type Lineage,
  type NamedQuery,
  type OpenQuery,
  type ShortEnd,
  type ShortQuery,
} from './Query.ts';
import { addCounts, startCounts, type AddedCounts, type StageCounts } from './stageCounters.ts';

/** The number of queries without rows that are named for each stage. */
const namedQueries = 5;
/** Equal messages of failures share one text in memory. This many different ones are remembered for it. */
const maxMessages = 1000;
const oneFailed: AddedCounts = { waiting: -1, failed: 1 };

/** What anybody may read of the queries of a run. */
export interface QueriesView {
  readonly counts: ReadonlyMap<string, Readonly<StageCounts>>;
  readonly open: ReadonlyMap<number, OpenQuery>;
  readonly failed: ReadonlyMap<number, FailedQuery>;
  readonly short: ReadonlyMap<number, ShortQuery>;
  /** Those that ended without a row, or without the one that they looked for. */
  readonly empty: ReadonlyMap<number, NamedQuery>;
  /** Those of stages that split their queries which were capped: narrower ones can't be made, or a limit of the flow ended them. */
  readonly capped: ReadonlyMap<number, NamedQuery>;
  /** Queries of all stages that are still to be requested. */
  readonly left: number;
  stageAt(index: number): FlowStage;
  stageOf(query: { readonly stage: string; readonly by?: number }): FlowStage;
  /** A query that hasn't ended. It is an error if there is none. */
  at(number: number): BegunQuery;
  /** The first queries of a stage that ended without a row: the columns that they keep, else their parameters. */
  firstEmpty(stage: string): readonly object[];
}

/** The queries of a run: the open ones, those that failed or are short and may wait again, and what all of them add to the counters. */
export class Queries implements QueriesView {
  readonly counts: ReadonlyMap<string, StageCounts>;
  readonly open: Map<number, OpenQuery> = new Map();
  readonly failed: Map<number, FailedQuery> = new Map();
  readonly short: Map<number, ShortQuery> = new Map();
  readonly empty: Map<number, NamedQuery> = new Map();
  readonly capped: Map<number, NamedQuery> = new Map();
  readonly #flow: Flow;
  /** Messages of failures, to share equal ones: most queries fail for the same reason. */
  private readonly messages = new Map<string, string>();
  private next = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.counts = new Map(flow.stages.map(({ name }) => [name, startCounts()]));
  }

  stageOf(query: { readonly stage: string; readonly by?: number }): FlowStage {
    return stageOf(this.#flow, query);
  }

  stageAt(index: number): FlowStage {
    const stage = this.#flow.stages[index];
    if (stage === undefined) throw new RangeError(`the flow has no stage number ${index}`);
    return stage;
  }

  at(number: number): BegunQuery {
    const query = this.open.get(number);
    if (query === undefined) throw new RangeError(`an event of query ${number}, which isn't open`);
    return begun(this.stageOf(query), query);
  }

  get left(): number {
    return this.#flow.stages.reduce((sum, { name }) => sum + this.counts.get(name)!.waiting, 0);
  }

  /** Adds a query that was found. It gets the next number, and waits. */
  add(found: JournalFound, parent: Lineage | undefined): OpenQuery {
    const { stage, params, kept, claimed, tile, unless } = foundQuery(this.stageAt(found[0]), found);
    const query = { is: 'waiting', number: this.next++, stage, params, kept, parent, claimed, tile, unless, by: 0 } as const;
    this.counts.get(stage)!.waiting += 1;
    return this.set(query);
  }

  set<Query extends OpenQuery>(query: Query): Query {
    this.open.set(query.number, query);
    return query;
  }

  /** Ends a query with so many rows. `short`: how, if these are too few. `left`: why it is named otherwise. */
  end(query: BegunQuery, added: AddedCounts, rows: number, short: ShortEnd | undefined, left: Left | undefined): void {
    this.close(query, added);
    if (short !== undefined) this.short.set(query.number, { is: 'short', query, added, ...short });
    const { number, stage, params, kept, parent } = query;
    if (left !== undefined) this[left].set(number, { stage, params, kept, parent, rows });
  }

  firstEmpty(stage: string): readonly object[] {
    return firstOf(this.empty, stage).map(({ kept, params }) => kept ?? params);
  }

  /** `taken`: the last page counts although the query failed with it. When the query is retried, that page isn't taken again. */
  fail(query: BegunQuery, failure: QueryFailure, { got, taken }: { readonly got: number; readonly taken: boolean }): void {
    this.close(query, oneFailed);
    this.failed.set(query.number, {
      is: 'failed',
      query: walking(query, { ...query, skip: Math.max(query.skip, taken ? 1 : 0) }),
      added: oneFailed,
      failure: { ...failure, message: this.once(failure.message) },
      got,
    });
  }

  /** Failed queries wait again. Short ones start over. */
  reopen(): void {
    for (const { query, added } of this.short.values()) this.takeBack(this.rewalk(query), added);
    for (const { query, added } of this.failed.values()) this.takeBack({ ...query, wentOn: query.walk.pages > 0 }, added);
  }

  /** The query from the start, which ended with too few rows. */
  rewalk(query: OpenQuery): BegunQuery {
    const { newest } = begun(this.stageOf(query), query);
    return walking(query, { walk: this.firstOf(query), newest, rewalk: true, skip: 0, wentOn: false });
  }

  /** The query from the start. Rows that it had are recognised by their ids and not taken again. Without ids, its pages are skipped. */
  startOver(query: BegunQuery): BegunQuery {
    const { pages, recheck } = query.walk;
    // A page that was being rechecked may have rows now, so it isn't skipped.
    const isKnown = this.stageOf(query).identity !== undefined;
    const skip = isKnown ? 0 : Math.max(0, pages + query.skip - (recheck?.rows.length === 0 ? 1 : 0));
    return walking(query, { ...query, walk: this.firstOf(query), rewalk: true, skip });
  }

  private firstOf(query: OpenQuery): BegunQuery['walk'] {
    const stage = this.stageOf(query);
    return startWalk(stage.operation.spec, query.params, stage.walk);
  }

  private close({ number, stage }: OpenQuery, added: AddedCounts): void {
    this.open.delete(number);
    addCounts(this.counts.get(stage)!, added);
  }

  private takeBack(query: BegunQuery, added: AddedCounts): void {
    addCounts(this.counts.get(query.stage)!, added, undefined, -1);
    this.empty.delete(query.number);
    this.short.delete(query.number);
    this.failed.delete(query.number);
    this.open.set(query.number, query);
  }

  private once(message: string): string {
    const known = this.messages.get(message);
    if (known === undefined && this.messages.size < maxMessages) this.messages.set(message, message);
    return known ?? message;
  }
}

function firstOf<Query extends NamedQuery>(queries: ReadonlyMap<number, Query>, stage: string): readonly Query[] {
  const first: Query[] = [];
  for (const one of queries.values()) {
    if (one.stage === stage) first.push(one);
    if (first.length === namedQueries) break;
  }
  return first;
}
