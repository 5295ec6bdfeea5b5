import type { Outcome } from './outcomes.ts';
import type { FirstQueries } from '../plan/FlowPlan.ts';
import type { FailedAttempts } from '../../errors/FailedAttempts.ts';
import type { Remarks } from '../../sinks/OutputFile.ts';
import type { DriftCount } from '../../contract/index.ts';
import type { ShownCounts } from '../core/stageCounters.ts';
import type { ClientStats } from '../../client/Client.ts';

/** The progress of a run. The last value is its summary. Times are milliseconds since 1970. */
export type FlowProgress =
  /** Before the first request. */
  | {
      readonly type: 'start';
      readonly at: number;
      readonly name: string;
      readonly outDir: string;
      /** It resumes an earlier run. */
      readonly resumed: boolean;
      /** When the run began. The same when it is resumed. */
      readonly began: number;
      readonly stages: readonly StageProgress[];
      /** What the client has counted before. */
      readonly client: ClientStats;
    }
  /** The current state, at most ten times a second. */
  | { readonly type: 'progress'; readonly at: number; readonly stages: readonly StageProgress[]; readonly client: ClientStats }
  /** These pages now survive a crash. */
  | {
      readonly type: 'commit';
      readonly at: number;
      readonly seq: number;
      readonly pages: number;
      readonly rows: number;
      readonly ms: number;
    }
  /** A query failed for good and is recorded. */
  | {
      readonly type: 'failure';
      readonly at: number;
      readonly stage: string;
      readonly operation: string;
      readonly query: object;
      readonly error: { readonly name: string; readonly message: string };
    }
  /**
   * A query ended with fewer rows than the service claims. `because`: why its walk couldn't continue.
   */
  | {
      readonly type: 'short';
      readonly at: number;
      readonly stage: string;
      readonly operation: string;
      readonly query: object;
      readonly got: number;
      readonly claimed: number;
      readonly because?: string | undefined;
    }
  /** A page of a tile, for a stage that covers an area. */
  | { readonly type: 'tile'; readonly tile: TileReport }
  /** Something to tell the user. */
  | { readonly type: 'notice'; readonly at: number; readonly message: string; readonly stage?: string | undefined }
  | FlowSummary;

/** How far a stage is, with its counters. */
export interface StageProgress extends ShownCounts {
  readonly name: string;
  /** The operation. */
  readonly call: string;
  /** What a request of it costs, as the service says. Absent if it doesn't. */
  readonly price?: number | undefined;
  /** What its price counts: `credits`, `USD`. Absent if the service doesn't say. */
  readonly unit?: string | undefined;
  /** Stages, or the one seed file. */
  readonly each: readonly string[];
  readonly to: readonly string[];
  /** The columns that `keep` puts into its rows. */
  readonly keep: readonly string[];
  /** The limits of its definition, such as `pages: 2` or `pages: 1 (the default)`. Empty if only the service limits its queries. */
  readonly limits: readonly string[];
  /** Its operation has no more pages, so what a response lacks is in narrower queries only. */
  readonly onePage?: true | undefined;
  /** How many of the failed queries are wrong in themselves, so that a retry won't help. Absent if there are none. */
  readonly refused?: number | undefined;
  /**
   * The first five of the queries without rows, or without the one that they looked for: the columns that they keep, else their
   * parameters. Absent if there are none.
   */
  readonly emptyQueries?: readonly object[] | undefined;
  /** How the rows miss the flow's expectations, one sentence each. */
  readonly doubts: readonly string[];
  /** How far loading into each destination is. Absent if it has none. */
  readonly loads?: readonly LoadProgress[] | undefined;
  /** Some seeds aren't read yet. */
  readonly more: boolean;
  readonly outcome: Outcome;
}

/** How far the rows of a stage are loaded. */
export interface LoadProgress {
  /** The destination: `postgres:reviews`. */
  readonly to: string;
  /** Bytes of rows on disk that aren't loaded. */
  readonly waiting: number;
  /** Rows that it can't hold. They are in `rejected.jsonl`. */
  readonly rejected: number;
}

interface RunCost {
  /** Requests of this run, retries included. */
  readonly requests: number;
  /** Those of the runs that it resumes. Absent if there were none. */
  readonly earlierRequests?: number | undefined;
  readonly retries: number;
  /** Those for the rows of a job that was not done. Absent if there were none. */
  readonly polls?: number | undefined;
  /** What a request costs, in any currency. Absent if the run wasn't told. */
  readonly price?: number | undefined;
  /** 429 responses. */
  readonly throttled: number;
  /** Attempts of this run that failed, retried or not, by reason: the most frequent first. Absent if there were none. */
  readonly failedAttempts?: readonly FailedAttempts[] | undefined;
}

/** What is left in an account, as the service says. */
export interface AccountLeft {
  readonly service: string;
  readonly left: number;
  /** What is counted, as in its prices. */
  readonly unit?: string | undefined;
}

export interface FlowSummary extends RunCost {
  readonly type: 'summary';
  readonly name: string;
  readonly digest: string;
  readonly outDir: string;
  /** The worst outcome of its stages. */
  readonly outcome: Outcome;
  /** Why it stopped or fell short, and what to do now. Absent if all is well. */
  readonly because?: string | undefined;
  /** The flow was finished before, so nothing was requested. */
  readonly already: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  /** A limit of the ledger has stopped it, or the ledger can't be used. `until`: when that limit begins anew. Absent if not. */
  readonly overLimit?: { readonly because: string; readonly until?: number | undefined; readonly quote?: string | undefined } | undefined;
  /** With the option `first`: the requests of the first queries, and an estimate for all. The rest is left to the next run. */
  readonly first?: FirstQueries | undefined;
  /** The run is an update, or there is an unfinished one that it doesn't touch. */
  readonly update?: true | undefined;
  /** What the update has changed, by stage. Present once it is finished. */
  readonly changes?: readonly StageChanges[] | undefined;
  readonly stages: readonly StageProgress[];
  /**
   * How many rows of a stage with `by` exist at least, where enough of them were found by several queries. Absent if nothing can be said.
   */
  readonly estimates?: readonly StageEstimate[] | undefined;
  /** Differences from the documentation in this run: each once, with its number of responses. Absent if there were none. */
  readonly drift?: readonly DriftCount[] | undefined;
  readonly files: readonly FlowFile[];
  /** The flow's headlines that are tables, once the run is done. Absent if there are none. */
  readonly tables?: readonly SummaryTable[] | undefined;
  /** What was left in the accounts at the end. Absent if the run didn't ask, or the services don't say. */
  readonly accounts?: readonly AccountLeft[] | undefined;
  /** What the pages of each service have cost, in this run and those that it resumes. Absent if there is one service. */
  readonly services?: readonly ServiceCost[] | undefined;
}

/** A headline of the flow that is a table, as the terminal prints it. */
export interface SummaryTable {
  readonly title: string;
  readonly columns: readonly string[];
  /** How many of the columns, from the last one on, are figures. */
  readonly figures: number;
  readonly rows: readonly (readonly string[])[];
  /** Lines that aren't shown. */
  readonly more: number;
}

/** What a service gave, and what that cost. */
export interface ServiceCost {
  readonly name: string;
  readonly pages: number;
  /** 0 if the service doesn't say what a request costs. */
  readonly cost: number;
  /** What its prices count: `credits`. */
  readonly unit?: string | undefined;
}

/** How many rows of a stage exist at least. */
export interface StageEstimate {
  readonly stage: string;
  /** Different rows that were found. */
  readonly found: number;
  readonly atLeast: number;
}

/** A file of a run. Its remarks say which fields have no column, and how many values the format can't hold unchanged. */
export interface FlowFile extends Remarks {
  /** Path within the output folder. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Present once the file is finished. */
  readonly sha256?: string | undefined;
}

/** What an update has changed in the rows of a stage. */
export interface StageChanges {
  readonly stage: string;
  /** Where each change is a line, within the output folder. */
  readonly file: string;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  /** Why it isn't known which rows are gone. Absent: it is known. */
  readonly goneUnknown?: string;
  /** Numbers of the changed rows that rose and fell, other than ranks. Only in a series. */
  readonly rose: number;
  readonly fell: number;
  /** Ranks and positions that came nearer to the first one, and those that moved away from it. Only in a series. */
  readonly up: number;
  readonly down: number;
  /** In a series: the rows of this run, and those of all runs. */
  readonly rows?: number;
  readonly all?: number;
}

/** A tile that was searched. Positions are on a map of size 1, from the north-west. */
export interface TileReport {
  readonly stage: string;
  readonly x: number;
  readonly y: number;
  /** Half its width and half its height. */
  readonly across: number;
  readonly down: number;
  readonly zoom: number;
  /** Its rows, before any are left out. undefined while it has more pages. */
  readonly rows: number | undefined;
  readonly end: 'done' | 'split' | 'full';
  /** The positions of this page's written rows. */
  readonly dots: readonly (readonly [x: number, y: number])[];
}
