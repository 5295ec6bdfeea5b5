import type { WalkMove } from '../../../operators/walk/WalkState.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { QueryParams } from '../query/QueryParams.ts';
import type { KeptColumns } from '../query/keptColumns.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { FlowFile } from '../run/FlowProgress.ts';

/** One line of the journal. The first is a `flow`; `commit` lines are what happened since, in groups. */
export type JournalRecord =
  | {
      readonly type: 'flow';
      readonly version: 1;
      readonly name: string;
      readonly digest: string;
      /** Milliseconds since 1970. */
      readonly at: number;
      /** The flow as it was given, to tell what is changed later. */
      readonly definition?: FlowDefinition | undefined;
      /** Rows of each stage in the run before in this folder. */
      readonly last?: { readonly [stage: string]: number } | undefined;
      /** It brings a finished run up to date: rows of that one are carried over. */
      readonly update?: true | undefined;
      /** … and requests only the queries that failed or were short in the update before. */
      readonly retry?: Retry | undefined;
      /** Every file that it may make. */
      readonly outputs: readonly string[];
    }
  | CommitRecord
  /** All is done and the files are about to get their names. */
  | {
      readonly type: 'finish';
      readonly at: number;
      readonly files: readonly (FlowFile & { readonly crc?: number | undefined })[];
      /** Rows of the run before that an update has kept, by stage. */
      readonly carried?: { readonly [stage: string]: Carried } | undefined;
    }
  /** The queries that failed or are short are to be run again; the files take their working names back. */
  | { readonly type: 'reopen'; readonly at: number };

export interface Retry {
  readonly failed: readonly JournalFound[];
  readonly short: readonly JournalFound[];
}

export interface Carried {
  readonly rows: number;
  /** In how many of them a field holds something. */
  readonly filled: { readonly [field: string]: number };
}

export interface CommitRecord {
  readonly type: 'commit';
  readonly at: number;
  /** How far the files are with these steps. */
  readonly files: { readonly [path: string]: readonly [bytes: number, rows: number, crc?: number] };
  readonly steps: readonly JournalStep[];
  /** Requests since the last commit, retries included. */
  readonly requests: number;
}

export type JournalStep = SeedsStep | LookStep | PageStep | FailureStep;

/** Queries as they are found: the stage's place in the flow, the query, what is kept. They are numbered in this order. */
export type JournalFound = readonly [
  stage: number,
  params: QueryParams,
  kept?: KeptColumns | null,
  claimed?: number | null,
  tile?: TileState | null,
  unless?: string,
];

/** Seeds, or the constants of a stage that runs once, were read as far as this. */
export interface SeedsStep {
  readonly kind: 'seeds';
  readonly stage: number;
  /** Queries that were made so far, those included that had been found before. */
  readonly position: number;
  /** CRC-32 over them, to notice other seeds. */
  readonly crc: number;
  readonly ended?: true | undefined;
  readonly found: readonly JournalFound[];
  readonly unchanged?: readonly Unchanged[] | undefined;
}

/** A query that an update skipped, because `unless` says that nothing has changed. */
export type Unchanged = readonly [stage: number, params: QueryParams];

/** A page of the searches by which a stage learns how far its searches see. */
export interface LookStep {
  readonly kind: 'look';
  readonly stage: number;
  /** Where it looked, as the query says it. */
  readonly at: string;
  /** Rows that say where they are: on a map of size 1, from the north-west. */
  readonly rows: readonly (readonly [id: unknown, x: number, y: number])[];
  /** All rows of the page. */
  readonly received: number;
  /** What the page does to its walk; none: it has ended. */
  readonly next?: WalkMove | undefined;
}

/** A page of a query. */
export interface PageStep {
  readonly kind: 'page';
  readonly query: number;
  /** Rows of the page. */
  readonly received: number;
  /** Rows that were written. */
  readonly written: number;
  /** Rows of the page that were skipped for their shape. */
  readonly skipped?: number | undefined;
  /** Rows of the page that were left out because they lie outside the area. */
  readonly outside?: number | undefined;
  /** What the page does to the query's walk; none: the query has ended. */
  readonly next?: WalkMove | undefined;
  /** A limit of the flow ended it. */
  readonly capped?: true | undefined;
  /** The page was taken, but where it leads can't be known. */
  readonly failure?: QueryFailure | undefined;
  /** Digests of the written rows' keys, 8 bytes each, in base64. */
  readonly keys?: string | undefined;
  readonly found?: readonly JournalFound[] | undefined;
  readonly unchanged?: readonly Unchanged[] | undefined;
  /** Digests of what tells the page's rows from others, new ones only where the query is walked again; as `keys`. */
  readonly ids?: string | undefined;
  /** The walk ended with so many of the rows that are claimed. */
  readonly claim?: readonly [got: number, claimed: number] | undefined;
  /** … and that is too few: the query is on record as short; `'final'`: in every order, and no more came. */
  readonly short?: true | 'final' | undefined;
  /** … because it couldn't go on. */
  readonly because?: string | undefined;
  /** … and it is walked again, in this order. */
  readonly rewalk?: { readonly order: number; readonly idle: number } | undefined;
  /** The time of the query's newest row, where this page moved it; milliseconds since 1970. */
  readonly newest?: number | undefined;
  /** The walk got as far as it had to: its watermark is that of its newest row. */
  readonly marked?: true | undefined;
  /** It ended at what was known, and had everything back to this time; null: its rows weren't in order. */
  readonly reached?: number | null | undefined;
  /** Rows of the page that weren't there before, and those of them that are older than the watermark. */
  readonly news?: number | undefined;
  readonly late?: number | undefined;
  /** In how many of the written rows a field holds something. */
  readonly filled?: { readonly [field: string]: number } | undefined;
}

/** A query got no page. */
export interface FailureStep {
  readonly kind: 'failure';
  readonly query: number;
  readonly failure: QueryFailure;
}

export interface QueryFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly name: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly code?: number | string | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: number | undefined;
}
