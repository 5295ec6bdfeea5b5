import { AuthError, TrawlerError } from '../../errors/index.ts';
import { type Flow, type FlowStage, stageOf } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedQueue.ts';
import type { EarlierRun } from '../update/EarlierRun.ts';
import { queryDigest } from './Dedup.ts';
import type { FlowEvent, JournalFound, QueryFailed, QueryFailure, Unchanged } from './events.ts';
import type { FlowView } from './FlowState.ts';
import { journalFound, type BegunQuery, type FoundQuery } from './Query.ts';
import { boundedQueries, halvesOf } from './stepQuery.ts';
import { mayBeTooLarge } from '../../../operators/split/Split.ts';

/** What decisions read. They write nothing and read no clock. They return what happens, as events. */
export interface DecisionInput {
  readonly flow: Flow;
  readonly state: FlowView;
  /** What the previous run knew. Only an update has it. */
  readonly earlier: EarlierRun | undefined;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When the run began that it retries, else the same. */
  readonly seenAt: number;
}

/** Seeds were read. The tiles of an area follow later (`decideTiles`). */
export function decideSeeds(crawl: DecisionInput, stage: FlowStage, batch: SeedBatch): readonly FlowEvent[] {
  const { position, crc, ended, unused, found } = batch;
  const read: FlowEvent = { type: 'SeedsRead', stage: stage.index, position, crc, ended, unused };
  const queries = newQueries(crawl, found);
  if (stage.split?.kind !== 'area') return [read, ...queries];
  return [read, ...queries.map((event) => (event.type === 'QueriesFound' ? ({ type: 'AreasFound', areas: event.found } as const) : event))];
}

/** A query failed for good. */
export function decideFailure({ flow }: DecisionInput, query: BegunQuery, failure: QueryFailure): readonly FlowEvent[] {
  const { number, walk } = query;
  const failed: QueryFailed = { type: 'QueryFailed', query: number, failure, taken: false, got: walk.items };
  if (stageOf(flow, query).split?.kind !== 'area') return [failed];
  return [{ type: 'TileSearched', query: number, at: failure.at, spots: '', rows: 0, ends: failed }];
}

/** A query failed for a reason that may pass. Areas that wait to learn from its search begin without it. */
export function decidePostponed(query: number): readonly FlowEvent[] {
  return [{ type: 'QueryPostponed', query }];
}

/** The service of a query is out, and no page of it has come. It goes to another service of its stage, the one at index `to`. */
export function decideHanded(query: number, to: number): readonly FlowEvent[] {
  return [{ type: 'QueryHanded', query, to }];
}

/** The service works on the next page of a query. A run that resumes asks for its response, and doesn't start it again. */
export function decideJob(query: number, address: string): readonly FlowEvent[] {
  return [{ type: 'JobStarted', query, address }];
}

/** A run is resumed. Walks whose pages the service counts start over, because it may have counted a page that never came. */
export function decideResumed({ state }: DecisionInput): readonly FlowEvent[] {
  return state.interrupted.map(({ number }) => ({ type: 'WalkRestarted', query: number }));
}

/** The tiles to request now. */
export function decideTiles({ flow, state }: DecisionInput): readonly FlowEvent[] {
  const { due } = state.covers;
  return due.length === 0 ? none : [{ type: 'QueriesFound', found: due.map((tile) => journalFound(flow, tile)) }];
}

const none: readonly never[] = [];

/** Queries that were found, if they are new. `query`: the one whose page led to them. */
export function newQueries(crawl: DecisionInput, all: readonly FoundQuery[], query?: number): readonly FlowEvent[] {
  const { found, unchanged } = onlyNew(crawl, all);
  const events: FlowEvent[] = [];
  if (unchanged.length > 0) events.push({ type: 'QueriesUnchanged', unchanged });
  if (found.length > 0) events.push({ type: 'QueriesFound', query, found });
  return events;
}

/** New queries in the journal's form, and those that an update skips. */
function onlyNew(
  crawl: DecisionInput,
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
    for (const query of isSkipped ? [one] : queriesToSend(crawl, stage, one)) {
      const digest = queryDigest(stage, query.params, query.tile);
      if (sent.has(digest) || state.seen.queries.has(digest)) continue;
      if (!isSkipped) {
        sent.add(digest);
        found.push(journalFound(flow, query));
      } else if (!skipped.has(digest) && !state.seen.skipped.has(digest)) {
        skipped.add(digest);
        const left = earlier?.watermarkOf(stage, one.params)?.left;
        unchanged.push(left === undefined ? [stage.index, one.params] : [stage.index, one.params, left]);
      }
    }
  }
  return { found, unchanged };
}

/**
 * The queries to send for a query that was found. If the service needs bounds, they have them. An update requests only what changed, if the
 * service can return that. Then the claim of the parent row is dropped, because it counts all rows.
 */
function queriesToSend({ earlier }: DecisionInput, stage: FlowStage, query: FoundQuery): readonly FoundQuery[] {
  const from = query.tile?.range === undefined ? earlier?.askedFrom(stage, query.params) : undefined;
  if (from === undefined) return boundedQueries(stage, query);
  const { paramsFrom } = stage.since!.serverFilter!;
  if (paramsFrom === undefined) return boundedQueries(stage, query, from);
  return boundedQueries(stage, { ...query, params: { ...query.params, ...paramsFrom(from) }, claimed: undefined });
}

/** A query was refused for good. Perhaps it is too large, and its halves are requested instead. undefined: it fails. */
export function decideRefused(crawl: DecisionInput, query: BegunQuery, error: unknown): readonly FlowEvent[] | undefined {
  const stage = stageOf(crawl.flow, query);
  const isRefused = error instanceof TrawlerError && !(error instanceof AuthError) && error.kind === 'final';
  const halves = isRefused && mayBeTooLarge(error) ? halvesOf(stage, query) : [];
  if (halves.length === 0) return undefined;
  const marked = stage.since === undefined ? undefined : true;
  return [...newQueries(crawl, halves, query.number), { type: 'QueryEnded', query: query.number, as: 'split', rows: 0, marked }];
}
