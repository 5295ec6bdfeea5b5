import type { FailureKind } from '../../errors/index.ts';
import type { OutputPosition } from '../../sinks/index.ts';
import type { DoubtResult } from '../../../operators/walk/Doubt.ts';
import type { WalkMove } from '../../../operators/walk/WalkState.ts';
import type { RowPlaces } from '../../../operators/split/RowPlaces.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { QueryParams, FlowDefinition } from '../definition/flowFormat.ts';
import type { KeptColumns } from '../query/bindQueries.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import type { Descriptions } from './descriptionsOf.ts';
import type { PageCounts } from './stageCounters.ts';

/** Of the journal's form. */
export const journalVersion = 4;

/** One line of the journal. The first is a `flow`. Each `commit` is a group of steps. */
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
      readonly described?: Descriptions | undefined;
      /** The folder of its areas, from the output folder. Left out: it has none in files. */
      readonly from?: string | undefined;
      /** Rows of each stage in the previous run in this folder. */
      readonly last?: { readonly [stage: string]: number } | undefined;
      /** It updates a finished run, whose rows are carried over. */
      readonly update?: true | undefined;
      /** … and requests only the queries that failed or were short in the update before. */
      readonly retry?: Retry | undefined;
      /** Every file that the run may make. */
      readonly outputs: readonly string[];
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
      /** What an update found again, by stage. */
      readonly repeated?: { readonly [stage: string]: Repeated } | undefined;
    }
  /** Failed and short queries run again. The files get their working names back. */
  | { readonly type: 'reopen'; readonly at: number };

export interface Retry {
  readonly failed: readonly JournalFound[];
  readonly short: readonly JournalFound[];
}

export interface Carried {
  readonly rows: number;
  /** The number of these rows in which a field is filled. */
  readonly filled: { readonly [field: string]: number };
}

/** The rows of a stage whose queries an update requested again, all of them. */
export interface Repeated {
  /** Rows of the runs before that weren't found again, rows that only the update found, and those of both. */
  readonly before: number;
  readonly after: number;
  readonly both: number;
  /** From the beginning of the run before to that of the update. */
  readonly apartMs: number;
}

export interface CommitRecord {
  readonly type: 'commit';
  readonly at: number;
  /** The files after these steps. */
  readonly files: { readonly [path: string]: OutputPosition };
  readonly steps: readonly JournalStep[];
  /** Requests since the last commit, retries included. */
  readonly requests: number;
  /** The run has stopped, and none of its requests was cut off. */
  readonly idle?: true | undefined;
  /** It outlives the process, but a power cut may take it, or what it counts, until a later record is synced. `files` are those that grew. */
  readonly unsynced?: true | undefined;
}

export function isUnsynced(record: JournalRecord): boolean {
  return record.type === 'commit' && record.unsynced === true;
}

export type JournalStep = SeedsStep | PageStep | FailureStep | LateStep | AgainStep | JobStep;

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

/** How far the seeds of a stage, or its constants, were read. */
export interface SeedsStep {
  readonly kind: 'seeds';
  readonly stage: number;
  /** The number of queries made so far, repeated ones included. */
  readonly position: number;
  /** CRC-32 of these queries, to notice changed seeds. */
  readonly crc: number;
  readonly ended?: true | undefined;
  /** Rows read since the last step that make no query. Left out: none. */
  readonly unused?: number | undefined;
  /** For a stage that covers areas: the first tiles. */
  readonly found: readonly JournalFound[];
  /** The areas to cover. */
  readonly areas?: readonly JournalFound[] | undefined;
  readonly unchanged?: readonly Unchanged[] | undefined;
}

/** A query that an update skipped, because `unless` says that nothing has changed. */
export type Unchanged = readonly [stage: number, params: QueryParams];

/** The page of a tile: where its rows lie (`textOfSpots`), how many there are, and how its walk ended. */
interface TileRecord {
  readonly spots: string;
  readonly rows: number;
  readonly over?: 'done' | 'failed' | undefined;
  /** How many more tiles hold more than was found. */
  readonly left?: number | undefined;
}

/** A page of a query. */
export interface PageStep {
  readonly kind: 'page';
  readonly query: number;
  /** Rows of the page. */
  readonly received: number;
  /** Rows that were written. */
  readonly written: number;
  /** What it adds to the counters of its stage. Absent if that is nothing. */
  readonly counts?: PageCounts | undefined;
  /** The change to the query's walk. undefined: the query has ended. */
  readonly next?: WalkMove | undefined;
  /** A limit of the flow ended the query. */
  readonly capped?: true | undefined;
  /** The page was taken, but its next page can't be known. */
  readonly failure?: QueryFailure | undefined;
  /** Digests of the written rows' keys, 8 bytes each, in base64. */
  readonly keys?: string | undefined;
  /** Those of rows that came before, where it is counted how many queries find a row; of all rows, if the stage writes each time. */
  readonly again?: string | undefined;
  /** Those of these rows that lie outside the tile. */
  readonly beside?: string | undefined;
  /** The query was full, and narrower ones follow. */
  readonly wide?: true | undefined;
  readonly found?: readonly JournalFound[] | undefined;
  readonly unchanged?: readonly Unchanged[] | undefined;
  /** The page of a tile of an area. */
  readonly tile?: TileRecord | undefined;
  /** Where the rows lie, of a page in the middle of a piece of a range. */
  readonly places?: RowPlaces | undefined;
  /** Digests of the ids of the page's rows, in the form of `keys`. Without those of the page before, and for a repeated query new ones only. */
  readonly ids?: string | undefined;
  /** The walk ended with this many of the claimed rows. */
  readonly claim?: readonly [got: number, claimed: number] | undefined;
  /** … which is too few, so the query is recorded as short. `'final'`: repeating it in every order brought no more. */
  readonly short?: true | 'final' | undefined;
  /** … because it couldn't continue. */
  readonly because?: string | undefined;
  /** … and it is repeated in this order. */
  readonly rewalk?: { readonly order: number; readonly idle: number } | undefined;
  /** The time of the query's newest row, if this page has a newer one. Milliseconds since 1970. */
  readonly newest?: number | undefined;
  /** The walk went far enough. Its watermark is its newest row. */
  readonly marked?: true | undefined;
  /** The walk ended at known rows and has everything newer than this time. null: its rows weren't in order. */
  readonly reached?: number | null | undefined;
  /** Rows of the page that weren't there before. */
  readonly added?: number | undefined;
  /** How many of the query's earlier rows can be gone, by the numbers that the service claimed then and claims now. */
  readonly gone?: number | undefined;
  /** What the page tells of a doubt. */
  readonly doubted?: DoubtResult | undefined;
  /** The number of written rows in which a field is filled. */
  readonly filled?: { readonly [field: string]: number } | undefined;
}

/** A query failed without a page. */
interface FailureStep {
  readonly kind: 'failure';
  readonly query: number;
  readonly failure: QueryFailure;
  /** Of a tile: the next tiles of its area, and how many more of them hold more than was found. */
  readonly found?: readonly JournalFound[] | undefined;
  readonly left?: number | undefined;
}

/** A query is requested after all others from now on, in later runs too. */
interface LateStep {
  readonly kind: 'late';
  readonly query: number;
  /** The first tiles of areas that waited for it. */
  readonly found?: readonly JournalFound[] | undefined;
}

/** A walk starts over, because only the process that requested its pages could request the next one. Their rows aren't taken again. */
interface AgainStep {
  readonly kind: 'again';
  readonly query: number;
}

/** The service works on a job for the next page of a query. */
interface JobStep {
  readonly kind: 'job';
  readonly query: number;
  readonly address: string;
}

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
