import type { QueryParams } from '../definition/flowFormat.ts';
import { type WalkState, startWalk } from '../../../operators/walk/Walk.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { KeptColumns } from '../query/bindQueries.ts';
import type { JournalFound, QueryFailure } from './events.ts';
import type { AddedCounts } from './stageCounters.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import { hash } from 'node:crypto';

/** A query that was found and has no number yet. */
export interface FoundQuery {
  readonly stage: string;
  readonly params: QueryParams;
  readonly kept: KeptColumns | undefined;
  /** The number of rows claimed by the row that led to it. */
  readonly claimed?: number | undefined;
  /** The part of an area or of a range that it searches. */
  readonly tile?: TileState | undefined;
  /** The value that `unless` of its stage reads. */
  readonly unless?: string | undefined;
}

/** The query of a page whose row led to another query, and where that one came from. */
export interface Lineage {
  readonly stage: string;
  readonly params: QueryParams;
  /** The query of the page with the row. */
  readonly page: QueryParams;
  readonly parent: Lineage | undefined;
}

/** What every query has from the moment it is found. Queries are numbered in that order. */
interface NumberedQuery extends FoundQuery {
  readonly number: number;
  /** The query whose row led to it. None for a root. */
  readonly parent: Lineage | undefined;
  /** Which of its stage's services it goes to: 0 is the first. */
  readonly by: number;
}

/** What a query knows once it has begun. */
interface Progress {
  readonly walk: WalkState<QueryParams>;
  /** The time of its newest row. Only of a stage with `since`, and if a row says when it is from. */
  readonly newest: number | undefined;
  /** It is walked again from the start. Rows that it had aren't taken again. No stored page is used, as it would lack the same rows. */
  readonly rewalk: boolean;
  /** The number of next pages that were taken before. Their rows are ignored. */
  readonly skip: number;
  /** It failed in the middle and went on in a later run. Rows that moved meanwhile may be missing, so it leaves no watermark. */
  readonly wentOn: boolean;
}

/** A query of which no page was taken. */
interface WaitingQuery extends NumberedQuery {
  readonly is: 'waiting';
}

interface Begun extends NumberedQuery, Progress {}

/** A query that goes from page to page. */
interface WalkingQuery extends Begun {
  readonly is: 'walking';
}

/** The service works on its next page, which will be at this address. */
interface JobPendingQuery extends Begun {
  readonly is: 'jobPending';
  readonly address: string;
}

/** It failed for a reason that may pass, and comes after all others. */
interface PostponedQuery extends Begun {
  readonly is: 'postponed';
  /** The address of its job, if the service works on its page. */
  readonly address: string | undefined;
}

export type BegunQuery = WalkingQuery | JobPendingQuery | PostponedQuery;

/** A query that hasn't ended. */
export type OpenQuery = WaitingQuery | BegunQuery;

/** How a query ended that has too few rows. */
export interface ShortEnd {
  readonly got: number;
  readonly claimed: number;
  /** Why it couldn't continue. Absent if it came to an end. */
  readonly because?: string | undefined;
}

/**
 * A query that ended and may wait again, with what its end has added to the counters of its stage. Of queries that ended well, only
 * these counters are left.
 */
export type EndedQuery = FailedQuery | ShortQuery;

interface Ended {
  readonly query: BegunQuery;
  readonly added: AddedCounts;
}

export interface ShortQuery extends Ended, ShortEnd {
  readonly is: 'short';
}

export interface FailedQuery extends Ended {
  readonly is: 'failed';
  readonly failure: QueryFailure;
  /** Its rows so far. */
  readonly got: number;
}

/** What is kept of a query that ended, to name it: it lacks something, and isn't walked again. */
export interface NamedQuery extends Pick<NumberedQuery, 'stage' | 'params' | 'kept' | 'parent'> {
  /** How many rows were walked. */
  readonly rows: number;
}

/** A query that begins, or goes on where it is. */
export function begun({ operation, walk }: Pick<FlowStage, 'operation' | 'walk'>, query: OpenQuery): BegunQuery {
  if (query.is !== 'waiting') return query;
  const started = startWalk(operation.spec, query.params, walk);
  return walking(query, { walk: started, newest: undefined, rewalk: false, skip: 0, wentOn: false });
}

/**
 * The query as it walks, with every field written out. Spread copies would give objects of many hidden classes, and V8 would compile the
 * code that reads queries again for each.
 */
export function walking(query: NumberedQuery, { walk, newest, rewalk, skip, wentOn }: Progress): WalkingQuery {
  const { number, stage, params, kept, parent, claimed, tile, unless, by } = query;
  return {
    is: 'walking',
    number,
    stage,
    params,
    kept,
    parent,
    claimed,
    tile,
    unless,
    by,
    walk,
    newest,
    rewalk,
    skip,
    wentOn,
  };
}

const noParams: ReadonlySet<string> = new Set();

/**
 * A text that identifies a query of a stage, whatever the order of its parameters. The parameters of `without` don't count. With a ready
 * fan-out, only its ids (`by`) count and not what it adds to them, unless the stage splits queries, which may be by such a parameter.
 */
export function queryKey(
  { name: stage, fanOut, split }: Pick<FlowStage, 'name' | 'fanOut' | 'split'>,
  params: QueryParams,
  without: ReadonlySet<string> = noParams,
): string {
  const by = split === undefined ? fanOut?.by : undefined;
  const key: unknown[] = [stage];
  for (const name of Object.keys(params).sort())
    if (!without.has(name) && (by === undefined || by.includes(name) || !Object.hasOwn(fanOut!.with, name))) key.push(name, params[name]);
  return canonicalJson(key);
}

/** 64 bits of a text's SHA-256. Among a million texts, the chance of a collision is 1 in 30 million. */
export function digestOf(text: string): bigint {
  // A text with a character for each byte. A Buffer would take four times as long.
  const bytes = hash('sha256', text, 'binary');
  return (BigInt(wordAt(bytes, 4)) << 32n) | BigInt(wordAt(bytes, 0));
}

function wordAt(bytes: string, at: number): number {
  const low = bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8);
  return (low | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}

/** A query in the journal's form. */
export function journalFound(flow: Pick<Flow, 'byName'>, { stage, params, kept, claimed, tile, unless }: FoundQuery): JournalFound {
  const index = flow.byName.get(stage)!.index;
  if (unless !== undefined) return [index, params, kept ?? null, claimed ?? null, tile ?? null, unless];
  if (tile !== undefined) return [index, params, kept ?? null, claimed ?? null, tile];
  if (claimed !== undefined) return [index, params, kept ?? null, claimed];
  return kept === undefined ? [index, params] : [index, params, kept];
}

/** A query of a stage, from the journal's form. */
export function foundQuery({ name }: FlowStage, [, params, kept, claimed, tile, unless]: JournalFound): FoundQuery {
  return { stage: name, params, kept: kept ?? undefined, claimed: claimed ?? undefined, tile: tile ?? undefined, unless };
}
