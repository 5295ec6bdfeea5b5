import type { FailureKind } from '../../errors/index.ts';
import type { OutputPosition } from '../../sinks/index.ts';
import type { WalkMove } from '../../../operators/walk/Walk.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { QueryParams, FlowDefinition } from '../definition/flowFormat.ts';
import type { KeptColumns } from '../query/bindQueries.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import type { PageCounts } from './stageCounters.ts';
import { positions } from '../../../operators/split/AreaSpec.ts';
import type { Spotted } from '../../../operators/split/learnSight.ts';

/** The version of the journal's format. */
export const journalVersion = 13;

/** One line of the journal. The first is a `flow`. Each `commit` is a group of events. */
export type JournalRecord =
  | {
      readonly type: 'flow';
      readonly version: number;
      readonly name: string;
      readonly digest: string;
      /** Milliseconds since 1970. */
      readonly at: number;
      /** The flow as given, to describe later changes. */
      readonly definition?: FlowDefinition | undefined;
      /** The folder of its areas, from the output folder. Left out: it has none in files. */
      readonly from?: string | undefined;
      /** Rows of each stage in the previous run in this folder. */
      readonly last?: { readonly [stage: string]: number } | undefined;
      /** It updates a finished run, whose rows are carried over. */
      readonly update?: true | undefined;
      /** An update that requests only the queries that failed or were short in the update before. */
      readonly retry?: Retry | undefined;
      /** Every file that the run may make. */
      readonly outputs: readonly string[];
      /** The folder of the run that it replaces, because it was started over. Left out: there was none. */
      readonly replaces?: string | undefined;
      /** What destinations know the run by. Left out: the flow has none. */
      readonly run?: string | undefined;
    }
  | CommitRecord
  /** Everything is done, and the files are about to get their final names. */
  | {
      readonly type: 'finish';
      readonly at: number;
      readonly files: readonly FlowFile[];
      /** Rows of the previous run that an update has kept, by stage. */
      readonly carried?: { readonly [stage: string]: Carried } | undefined;
    }
  /** Failed and short queries run again. The files get their working names back. */
  | { readonly type: 'reopen'; readonly at: number };

export interface Retry {
  /** When the run began that it retries. */
  readonly at: number;
  readonly failed: readonly JournalFound[];
  readonly short: readonly JournalFound[];
}

export interface Carried {
  readonly rows: number;
  /** The number of these rows in which a field is filled. */
  readonly filled: { readonly [field: string]: number };
}

export interface CommitRecord {
  readonly type: 'commit';
  readonly at: number;
  /** The files after these events. */
  readonly files: { readonly [path: string]: OutputPosition };
  readonly events: readonly FlowEvent[];
  /** Requests since the last commit, retries included. */
  readonly requests: number;
  /** A digest of the key with which pages came, where the journal hasn't said it. */
  readonly key?: string | undefined;
  /**
   * It survives the end of the process. A power cut may take it, or rows that it counts, until a later record is synced. `files` are those
   * that grew.
   */
  readonly unsynced?: true | undefined;
}

export function isUnsynced(record: JournalRecord): boolean {
  return record.type === 'commit' && record.unsynced === true;
}

/** What changes the state of a crawl. Only `FlowState.evolve` applies it, when it happens and when the journal is replayed. */
export type RunEvent = FlowEvent | RetryBegun | Reopened | RowsCarried;

/** Before a crawl begins: these queries are requested, and no seeds are read. */
export interface RetryBegun extends Retry {
  readonly type: 'RetryBegun';
}

/** Failed queries wait again, and short ones start over. */
interface Reopened {
  readonly type: 'Reopened';
}

/** After a crawl: rows of the previous run that an update has kept, by stage. */
interface RowsCarried {
  readonly type: 'RowsCarried';
  readonly carried: { readonly [stage: string]: Carried };
}

/** What happened to a crawl, as a commit has it. */
export type FlowEvent =
  | SeedsRead
  | AreasFound
  | QueriesFound
  | QueriesUnchanged
  | PageTaken
  | TileSearched
  | WatermarkMoved
  | WalkMoved
  | WalkRestarted
  | JobStarted
  | QueryPostponed
  | QueryHanded
  | QueryEnded
  | QueryFailed;

/** The seeds of a stage, or its constants, were read up to here. */
export interface SeedsRead {
  readonly type: 'SeedsRead';
  readonly stage: number;
  /** The number of queries made so far, repeated ones included. */
  readonly position: number;
  /** CRC-32 of these queries, to notice changed seeds. */
  readonly crc: number;
  readonly ended: boolean;
  /** Rows read since the last time that make no query. */
  readonly unused: number;
}

/** Areas to cover were found. Their first tiles follow once it is their turn. */
interface AreasFound {
  readonly type: 'AreasFound';
  readonly areas: readonly JournalFound[];
}

export interface QueriesFound {
  readonly type: 'QueriesFound';
  /** The query whose page led to them. Absent for roots. */
  readonly query?: number | undefined;
  readonly found: readonly JournalFound[];
}

/** An update skips queries, because `unless` says that nothing has changed. */
interface QueriesUnchanged {
  readonly type: 'QueriesUnchanged';
  readonly unchanged: readonly Unchanged[];
}

/** A page of a query came, and its rows count. */
export interface PageTaken {
  readonly type: 'PageTaken';
  readonly query: number;
  /** Rows of the page. */
  readonly received: number;
  /** Rows that were written. */
  readonly written: number;
  /** What else it adds to the counters of its stage. Absent: nothing. */
  readonly counts?: TakenCounts | undefined;
  /** Digests of the ids of the page's rows, without those of the page before. If the query is walked again, only new ones. */
  readonly ids?: string | undefined;
  readonly keys?: RowKeys | undefined;
}

export interface TakenCounts extends PageCounts {
  /** The number of written rows in which a field is filled. */
  readonly filled?: { readonly [field: string]: number } | undefined;
}

/** Digests of rows' keys, 8 bytes each, in base64. A list that would be empty is left out. */
export interface RowKeys {
  /** Those of the rows that were written, if their stage writes each row once. */
  readonly new?: string | undefined;
  /** Those of rows that came before, where several queries may find the same row. */
  readonly seenBefore?: string | undefined;
}

/** The page of a tile of an area: where its rows lie (`textOfSpots`), and how many there are. */
export interface TileSearched {
  readonly type: 'TileSearched';
  readonly query: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly spots: string;
  readonly rows: number;
  /** How its query ended. If the area turns out to be one that can't be covered, the query fails instead. Absent while it goes on. */
  readonly ends?: QueryEnded | QueryFailed | undefined;
  /** Its search was cut off, as far as its rows say. */
  readonly cut?: true | undefined;
}

/** A page has a newer row than the pages of the query before it. */
interface WatermarkMoved {
  readonly type: 'WatermarkMoved';
  readonly query: number;
  /** The time of the query's newest row. Milliseconds since 1970. */
  readonly newest: number;
}

export interface WalkMoved {
  readonly type: 'WalkMoved';
  readonly query: number;
  readonly move: WalkMove;
}

/**
 * A walk starts over, because the service counts its pages: only the process that requested them could request the next one. Rows that it
 * had aren't taken again.
 */
interface WalkRestarted {
  readonly type: 'WalkRestarted';
  readonly query: number;
}

/** The service works on a job for the next page of a query. */
interface JobStarted {
  readonly type: 'JobStarted';
  readonly query: number;
  readonly address: string;
}

/** The query goes to another service, because its own is out and no page of it has come. */
interface QueryHanded {
  readonly type: 'QueryHanded';
  readonly query: number;
  /** Which of the services of its stage: 0 is the first. */
  readonly to: number;
}

/** A query comes after all others from now on, in later runs too. */
interface QueryPostponed {
  readonly type: 'QueryPostponed';
  readonly query: number;
}

/**
 * A query has ended with the page that was taken. `capped`: a limit of the flow ended it. `split`: it was full, and narrower ones follow.
 * `stopped`: the rest is known from an earlier run. `found`: it has the row that it looked for.
 */
export interface QueryEnded {
  readonly type: 'QueryEnded';
  readonly query: number;
  readonly as: 'complete' | 'capped' | 'split' | 'stopped' | 'found';
  /** All its rows. */
  readonly rows: number;
  /** It has this many of the rows that the service claims. */
  readonly claim?: readonly [got: number, claimed: number] | undefined;
  /** It was divided into pieces of its range, and the service claims this many rows for it. */
  readonly divided?: number | undefined;
  /** Set if these are too few. */
  readonly short?: { readonly because?: string | undefined } | undefined;
  /** A stage with `since` was walked as far as an update needs it: its watermark is its newest row. */
  readonly marked?: true | undefined;
  /** An earlier run was capped, and this one walked only what is new since. */
  readonly wasCapped?: true | undefined;
}

export interface QueryFailed {
  readonly type: 'QueryFailed';
  readonly query: number;
  readonly failure: QueryFailure;
  /** A page of it was taken with the failure: the rows of that page are written, and it only leads on when it is retried. */
  readonly taken: boolean;
  /** Its rows so far. */
  readonly got: number;
}

/** A query was capped, or found nothing. */
export type Left = 'capped' | 'empty';

/** A query that an update skipped: the number of its stage, its parameters, and what was left of it in the run before. */
export type Unchanged = readonly [stage: number, params: QueryParams, left?: Left];

/**
 * A query that was found: the stage's index in the flow, the parameters, the kept columns. Queries are numbered in this
 * order.
 */
export type JournalFound = readonly [
  stage: number,
  params: QueryParams,
  kept?: KeptColumns | null,
  claimed?: number | null,
  tile?: TileState | null,
  unless?: string,
];

export interface QueryFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly name: string;
  readonly message: string;
  readonly kind?: FailureKind | undefined;
  readonly status?: number | undefined;
  readonly code?: number | string | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: number | undefined;
}

/** Ids of rows in the journal's form, and back. */
export function textOfIds(ids: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(8 * ids.length); // an array of its own outside of the heap would cost four times as much
  ids.forEach((id, index) => bytes.writeDoubleLE(id, 8 * index));
  return bytes.toString('base64');
}

export function idsOf(base64: string): Float64Array {
  return new Float64Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
}

/** Digests in the journal's form, 8 bytes each, and back. */
export function textOfDigests(digests: readonly bigint[]): string {
  const bytes = Buffer.allocUnsafe(8 * digests.length);
  digests.forEach((digest, index) => bytes.writeBigUInt64LE(digest, 8 * index));
  return bytes.toString('base64');
}

export function digestsOf(base64: string): readonly bigint[] {
  return [...new BigUint64Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer)];
}

/** Bytes of a spot: its id, and where it lies. */
const size = 16;

/** Where rows lie, in base64. */
export function textOfSpots(spots: readonly Spotted[]): string {
  const bytes = Buffer.alloc(spots.length * size);
  spots.forEach(({ id, x, y }, index) => {
    bytes.writeDoubleLE(id, index * size);
    bytes.writeUInt32LE(x * positions, index * size + 8);
    bytes.writeUInt32LE(y * positions, index * size + 12);
  });
  return bytes.toString('base64');
}

export function spotsIn(base64: string): Spotted[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / size }, (_, index) => ({
    id: bytes.readDoubleLE(index * size),
    x: bytes.readUInt32LE(index * size + 8) / positions,
    y: bytes.readUInt32LE(index * size + 12) / positions,
  }));
}
