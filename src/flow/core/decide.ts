import { AuthError, TrawlerError } from '../../errors/index.ts';
import { type Flow, type FlowStage, stageOf } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedQueue.ts';
import { failureOf } from '../state/failureOf.ts';
import type { EarlierRun } from '../update/EarlierRun.ts';
import { queryDigest } from './Dedup.ts';
import type { FlowEvent, JournalFound, Unchanged } from './events.ts';
import type { FlowView } from './FlowState.ts';
import { journalFound, type BegunQuery, type FoundQuery } from './Query.ts';
import { boundedQueries, halvesOf } from './stepQuery.ts';
import { mayBeTooLarge } from '../../../operators/split/Split.ts';

/** What decisions read. They write nothing: they say what happens, event by event, and find each event in the state before the next. */
export interface Crawl {
  readonly flow: Flow;
  readonly state: FlowView;
  /** What the previous run knew. Only an update has it. */
  readonly earlier: EarlierRun | undefined;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** … or the run that it retries. */
  readonly seenAt: number;
}

export type Decision = Generator<FlowEvent, void, undefined>;

/** Seeds were read. */
export function* decideSeeds(crawl: Crawl, stage: FlowStage, batch: SeedBatch): Decision {
  const { position, crc, ended, unused, found } = batch;
  yield { type: 'SeedsRead', stage: stage.index, position, crc, ended, unused };
  if (stage.split?.kind === 'area') yield* newAreas(crawl, stage, found);
  else yield* newQueries(crawl, found);
}

function* newAreas(crawl: Crawl, stage: FlowStage, found: readonly FoundQuery[]): Decision {
  const areas = onlyNew(crawl, found);
  if (areas.unchanged.length > 0) yield { type: 'QueriesUnchanged', unchanged: areas.unchanged };
  if (areas.found.length > 0) yield { type: 'AreasFound', areas: areas.found };
  yield* decideTiles(crawl, stage);
}

/** A query failed for good. */
export function* decideFailure(crawl: Crawl, query: BegunQuery, error: unknown): Decision {
  const { number, walk } = query;
  const stage = stageOf(crawl.flow, query);
  if (stage.split?.kind === 'area') {
    yield { type: 'TileSearched', query: number, spots: '', rows: 0, over: 'failed' };
    yield* decideTiles(crawl, stage, number);
  }
  yield { type: 'QueryFailed', query: number, failure: failureOf(error), taken: false, got: walk.items };
}

/** A query failed for a reason that may pass. Areas that waited for its lesson begin without it. */
export function* decidePostponed(crawl: Crawl, query: BegunQuery): Decision {
  yield { type: 'QueryPostponed', query: query.number };
  const stage = stageOf(crawl.flow, query);
  if (stage.split?.kind === 'area') yield* decideTiles(crawl, stage, query.number);
}

/** The service of a query is out, and no page of it has come: another one is asked, the `to`th of its stage. */
export function* decideHanded(query: number, to: number): Decision {
  yield { type: 'QueryHanded', query, to };
}

/** The service works on the next page of a query. A run that resumes asks for its response, and doesn't start it again. */
export function* decideJob(query: number, address: string): Decision {
  yield { type: 'JobStarted', query, address };
}

/** A run is taken up. The service counts the pages of some walks, and may have counted one that never came: they start over. */
export function* decideResumed({ state }: Crawl): Decision {
  for (const { number } of state.interrupted) yield { type: 'WalkRestarted', query: number };
}

/** The tiles whose turn has come. `query`: the one that made room for them. */
export function* decideTiles({ flow, state }: Crawl, stage: FlowStage, query?: number): Decision {
  const tiles = state.covers.due(stage);
  if (tiles.length > 0) yield { type: 'QueriesFound', query, found: tiles.map((tile) => journalFound(flow, tile)) };
}

/** Queries that were found, if they are new. `query`: the one whose page led to them. */
export function* newQueries(crawl: Crawl, all: readonly FoundQuery[], query?: number): Decision {
  const { found, unchanged } = onlyNew(crawl, all);
  if (unchanged.length > 0) yield { type: 'QueriesUnchanged', unchanged };
  if (found.length > 0) yield { type: 'QueriesFound', query, found };
}

/** New queries in the journal's form, and those that an update skips. */
function onlyNew(
  crawl: Crawl,
  all: readonly FoundQuery[],
): { readonly found: readonly JournalFound[]; readonly unchanged: readonly Unchanged[] } {
  const { flow, state, earlier } = crawl;
  const sent = new Set<bigint>();
  const skipped = new Set<bigint>();
  const found: JournalFound[] = [];
  const unchanged: Unchanged[] = [];
  for (const one of all) {
    const stage = flow.byName.get(one.stage)!;
    const isSkipped = earlier?.skips(stage, one.params, one.unless) === true;
    for (const query of isSkipped ? [one] : asked(crawl, stage, one)) {
      const digest = queryDigest(stage, query.params, query.tile);
      if (sent.has(digest) || state.seen.queries.has(digest)) continue;
      if (!isSkipped) {
        sent.add(digest);
        found.push(journalFound(flow, query));
      } else if (!skipped.has(digest) && !state.seen.skipped.has(digest)) {
        skipped.add(digest);
        unchanged.push([stage.index, one.params]);
      }
    }
  }
  return { found, unchanged };
}

/**
 * A query as it is requested: within bounds, where the service needs them, and by an update for what changed, where it can be asked for that.
 * What its parent claims is the number of all rows.
 */
function asked({ earlier }: Crawl, stage: FlowStage, query: FoundQuery): readonly FoundQuery[] {
  const from = query.tile?.range === undefined ? earlier?.askedFrom(stage, query.params) : undefined;
  if (from === undefined) return boundedQueries(stage, query);
  const { paramsFrom } = stage.since!.asks!;
  if (paramsFrom === undefined) return boundedQueries(stage, query, from);
  return boundedQueries(stage, { ...query, params: { ...query.params, ...paramsFrom(from) }, claimed: undefined });
}

/** A query was refused for good. Whether it doesn't fail: its halves are requested instead. */
export function* decideRefused(crawl: Crawl, query: BegunQuery, error: unknown): Generator<FlowEvent, boolean, undefined> {
  const stage = stageOf(crawl.flow, query);
  const isRefused = error instanceof TrawlerError && !(error instanceof AuthError) && failureOf(error).kind === 'final';
  const halves = isRefused && mayBeTooLarge(error) ? halvesOf(stage, query) : [];
  if (halves.length === 0) return false;
  yield* newQueries(crawl, halves, query.number);
  yield { type: 'QueryEnded', query: query.number, as: 'split', rows: 0, marked: stage.since === undefined ? undefined : true };
  return true;
}
