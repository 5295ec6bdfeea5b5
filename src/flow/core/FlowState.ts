import { moveWalk } from '../../../operators/walk/Walk.ts';
import { pagingKindOf, pagePrice } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { isWithin } from '../definition/flowFormat.ts';
import { StageCovers, unfitError } from '../split/StageCovers.ts';
import { failureOf } from '../state/failureOf.ts';
import { Dedup, queryDigest, type DigestSet, Sightings } from './Dedup.ts';
import {
  digestsOf,
  spotsIn,
  type FlowEvent,
  type JournalFound,
  type PageTaken,
  type QueriesFound,
  type Left,
  type QueryEnded,
  type RetryBegun,
  type RunEvent,
  type SeedsRead,
  type WalkMoved,
} from './events.ts';
import { Queries, type QueriesView } from './Queries.ts';
import { foundQuery, walking, type BegunQuery, type Lineage, type OpenQuery } from './Query.ts';
import { addCounts } from './stageCounters.ts';
import { NewestRows } from './NewestRows.ts';
import { isTile } from '../split/StageSplit.ts';

export interface SeedsState {
  readonly position: number;
  readonly crc: number;
  readonly ended: boolean;
}

/** The pages of a service, and what they cost if it says what a request costs. */
export interface PaidPages {
  readonly pages: number;
  readonly cost: number;
  /** What is counted. */
  readonly unit?: string | undefined;
}

/** What anybody may read of a crawl. Deciding needs no more. */
export interface FlowView {
  readonly queries: QueriesView;
  readonly seeds: ReadonlyMap<string, SeedsState>;
  /** For each stage with a page: the query of its last page. */
  readonly served: ReadonlyMap<string, BegunQuery>;
  /** This run requests only queries that failed before, and knows nothing about the others. */
  readonly isRetry: boolean;
  readonly seen: Pick<Dedup, 'hasKey' | 'idsOf'> & { readonly [set in 'queries' | 'skipped']: Pick<DigestSet, 'has'> };
  /** How far the queries of stages with `since` were walked. */
  readonly watermarks: Pick<NewestRows, 'moved'>;
  /** The areas that are covered. */
  readonly covers: Pick<StageCovers, 'waits' | 'rings' | 'due' | 'leftBy' | 'isCut'>;
  /** How many queries found each row, by stage. */
  readonly sightings: ReadonlyMap<string, Pick<Sightings, 'estimate'>>;
  /** For each stage with `since` that had rows: whether any row says when it is from. */
  readonly dated: ReadonlyMap<string, boolean>;
  /** What the pages of each service have cost, by its name. */
  readonly paid: ReadonlyMap<string, PaidPages>;
  /** Begun walks whose pages the service counts. A run that resumes can't continue them (`PagingKind.tokenRepeats`). */
  readonly interrupted: readonly BegunQuery[];
}

/** The state of a flow. `evolve` is the only way to change it, so a journal that is replayed gives the state that wrote it. */
export class FlowState implements FlowView {
  readonly queries: Queries;
  readonly seeds: Map<string, SeedsState>;
  readonly served: Map<string, BegunQuery> = new Map();
  isRetry = false;
  readonly seen: Dedup = new Dedup();
  readonly watermarks: NewestRows = new NewestRows();
  readonly covers: StageCovers = new StageCovers();
  readonly sightings: ReadonlyMap<string, Sightings>;
  readonly dated: Map<string, boolean> = new Map();
  readonly paid: Map<string, PaidPages> = new Map();

  constructor(flow: Flow) {
    this.queries = new Queries(flow);
    this.sightings = new Map(flow.stages.filter(({ overlaps }) => overlaps).map(({ name }) => [name, new Sightings()]));
    const roots = flow.stages.filter((stage) => stage.parents.length === 0);
    this.seeds = new Map(roots.map(({ name }) => [name, { position: 0, crc: 0, ended: false }]));
  }

  /** Applies an event. Returns the queries that can be requested because of it. */
  evolve(event: RunEvent): readonly OpenQuery[] {
    switch (event.type) {
      case 'RetryBegun':
        this.retry(event);
        return none;
      case 'Reopened':
        this.queries.reopen();
        return none;
      case 'RowsCarried':
        for (const [stage, { rows, filled }] of Object.entries(event.carried)) {
          const counts = this.queries.counts.get(stage);
          if (counts !== undefined) addCounts(counts, { rows }, filled);
        }
        return none;
      case 'SeedsRead':
        return this.seedsRead(event);
      case 'AreasFound':
        for (const area of event.areas) this.areaFound(area);
        return none;
      case 'QueriesFound':
        return this.queriesFound(event);
      case 'QueriesUnchanged':
        for (const [index, params, left] of event.unchanged) this.skip(this.queries.stageAt(index), params, left);
        return none;
      default:
        return this.queryEvent(event, this.queries.at(event.query));
    }
  }

  private queryEvent(event: Extract<FlowEvent, { readonly query: number }>, query: BegunQuery): readonly OpenQuery[] {
    const stage = this.queries.stageOf(query);
    switch (event.type) {
      case 'PageTaken':
        this.pageTaken(event, stage, query);
        break;
      case 'TileSearched': {
        const { spots, rows, ends } = event;
        const ended = ends && (ends.type === 'QueryFailed' ? 'failed' : 'done');
        const left = this.covers.leftBy(query).length;
        const unfit = this.covers.takePage(stage, query, { spots: spotsIn(spots), rows, ended });
        this.queries.counts.get(query.stage)!.capped += this.covers.leftBy(query).length - left;
        if (ends === undefined) break;
        if (unfit === undefined || ends.type === 'QueryFailed') return this.queryEvent(ends, query);
        this.queries.fail(query, failureOf(unfitError(stage, query, unfit), event.at), { got: ends.rows, taken: true });
        break;
      }
      case 'WatermarkMoved':
        this.dated.set(stage.name, true);
        this.queries.set({ ...query, newest: event.newest });
        break;
      case 'WalkMoved':
        return [this.queries.set(this.moved(event, stage, query))];
      case 'WalkRestarted':
        return [this.queries.set(this.queries.startOver(query))];
      case 'JobStarted':
        this.queries.set({ ...query, is: 'jobPending', address: event.address });
        break;
      case 'QueryHanded': {
        const { number, params, kept, parent, claimed, tile, unless } = query;
        const waiting = { is: 'waiting', number, stage: query.stage, params, kept, parent, claimed, tile, unless, by: event.to } as const;
        return [this.queries.set(waiting)];
      }
      case 'QueryPostponed':
        if (stage.split?.kind === 'area') this.covers.postponed(stage, query);
        this.queries.set({ ...query, is: 'postponed', address: 'address' in query ? query.address : undefined });
        break;
      case 'QueryEnded':
        this.ended(event, stage, query);
        break;
      case 'QueryFailed':
        this.queries.fail(query, event.failure, event);
        break;
    }
    return none;
  }

  get interrupted(): readonly BegunQuery[] {
    return Array.from(this.queries.open.values()).filter((query): query is BegunQuery => {
      const { paging } = this.queries.stageOf(query).operation.spec;
      return query.is !== 'waiting' && query.walk.pages > 0 && pagingKindOf(paging).tokenRepeats;
    });
  }

  private retry({ failed, short }: RetryBegun): void {
    this.isRetry = true;
    for (const [name, seeds] of this.seeds) this.seeds.set(name, { ...seeds, ended: true });
    for (const found of [...failed, ...short]) {
      const query = this.queries.add(found, undefined);
      this.seen.addQuery(this.queries.stageAt(found[0]), found[1], found[4]);
      if (short.includes(found)) this.queries.set(this.queries.rewalk(query));
    }
  }

  private seedsRead({ stage: index, position, crc, ended, unused }: SeedsRead): readonly OpenQuery[] {
    const { name } = this.queries.stageAt(index);
    addCounts(this.queries.counts.get(name)!, { unused });
    if (this.seeds.has(name)) this.seeds.set(name, { position, crc, ended });
    return none;
  }

  private areaFound(area: JournalFound): void {
    const stage = this.queries.stageAt(area[0]);
    this.seen.addQuery(stage, area[1], area[4]);
    this.covers.start(stage, foundQuery(stage, area));
  }

  private queriesFound({ query: number, found }: QueriesFound): readonly OpenQuery[] {
    const from = number === undefined ? undefined : this.queries.at(number);
    const lineage: Lineage | undefined = from && {
      stage: from.stage,
      params: from.params,
      page: from.walk.query,
      parent: from.parent,
    };
    return found.map((one) => {
      const [index, params, , , tile] = one;
      const stage = this.queries.stageAt(index);
      if (isTile(tile)) this.covers.requested(stage, tile.number);
      else this.seen.addQuery(stage, params, tile);
      // the parent of a tile or a piece is that of the divided query, not the query whose page led to the division
      return this.queries.add(one, !isTile(tile) && tile?.range === undefined ? lineage : from?.parent);
    });
  }

  private skip(stage: FlowStage, params: JournalFound[1], left: Left | undefined): void {
    const counts = this.queries.counts.get(stage.name)!;
    counts.unchanged += 1;
    if (left !== undefined) counts[`${left}Before`] += 1;
    this.seen.skipped.add(queryDigest(stage, params));
  }

  private pageTaken({ received, written, counts, ids, keys = {} }: PageTaken, stage: FlowStage, query: BegunQuery): void {
    const sums = this.queries.counts.get(stage.name)!;
    this.served.set(stage.name, query);
    sums.pages += 1;
    const { service, operation } = stage;
    const { pages, cost } = this.paid.get(service.name) ?? { pages: 0, cost: 0 };
    const { price } = service;
    this.paid.set(service.name, { pages: pages + 1, cost: cost + pagePrice(price, operation, received), unit: price?.unit });
    sums.rows += written;
    if (counts !== undefined) {
      const { filled, ...counters } = counts;
      addCounts(sums, counters, filled);
    }
    if (stage.since !== undefined && received > 0 && !this.dated.has(stage.name)) this.dated.set(stage.name, false);
    const added = keys.new === undefined ? none : digestsOf(keys.new);
    for (const key of added) this.seen.addKey(stage.name, key);
    this.sightings
      .get(stage.name)
      ?.add(query.number, { new: added, seenBefore: keys.seenBefore === undefined ? none : digestsOf(keys.seenBefore) });
    if (ids !== undefined) this.seen.addIds(query.number, ids);
  }

  private moved({ move }: WalkMoved, stage: FlowStage, query: BegunQuery): BegunQuery {
    const walk = moveWalk(stage.operation.spec, query.walk, move, stage.walk);
    const skip = Math.max(0, query.skip - (walk.pages - query.walk.pages));
    const { newest, rewalk, wentOn } = query;
    return walking(query, { walk, newest, rewalk, skip, wentOn });
  }

  private ended({ as, rows, claim, divided, short, marked, wasCapped }: QueryEnded, stage: FlowStage, query: BegunQuery): void {
    const [got, claimed] = claim ?? [0, 0];
    const isPiece = query.tile?.range?.claim !== undefined;
    const { rowsPerQuery } = stage.expect ?? {};
    const isEmpty = stage.until.length > 0 ? as !== 'found' : rows === 0 && stage.split === undefined;
    const added = {
      waiting: -1,
      done: 1,
      capped: as === 'capped' ? 1 : 0,
      cappedBefore: wasCapped === true ? 1 : 0,
      found: as === 'found' ? 1 : 0,
      short: short === undefined ? 0 : 1,
      withinTolerance: short === undefined && got < claimed ? 1 : 0,
      got,
      claimed,
      divided: isPiece ? 0 : (divided ?? 0),
      inPieces: !isPiece || divided !== undefined ? 0 : claim === undefined ? rows : claimed,
      unexpected: rowsPerQuery === undefined || isWithin(rows, rowsPerQuery) ? 0 : 1,
      empty: isEmpty ? 1 : 0,
    };
    if (short === undefined) this.seen.forgetIds(query.number);
    if (marked === true) this.watermarks.end(stage, query, as === 'capped' || wasCapped ? 'capped' : isEmpty ? 'empty' : undefined);
    const left = isEmpty ? 'empty' : as === 'capped' && stage.split !== undefined ? 'capped' : undefined;
    this.queries.end(query, added, Math.min(rows, stage.limit), short && { got, claimed, ...short }, left);
  }
}

const none: readonly never[] = [];
