import type { DriftCount } from '../../contract/index.ts';
import type { TileNews } from '../split/tileNews.ts';
import type { ClientStats } from '../../client/Client.ts';

/** What a run says while it runs; the last value is its summary. Times are milliseconds since 1970. */
export type FlowProgress =
  /** Before the first request. */
  | {
      readonly type: 'start';
      readonly at: number;
      readonly name: string;
      readonly outDir: string;
      /** It goes on where an earlier run stopped. */
      readonly resumed: boolean;
      readonly stages: readonly StageProgress[];
    }
  /** How things stand; ten times a second at most. */
  | { readonly type: 'progress'; readonly at: number; readonly stages: readonly StageProgress[]; readonly client: ClientStats }
  /** From here on these pages survive a crash. */
  | {
      readonly type: 'commit';
      readonly at: number;
      readonly seq: number;
      readonly pages: number;
      readonly rows: number;
      readonly ms: number;
    }
  /** A query failed for good and is on record. */
  | {
      readonly type: 'failure';
      readonly at: number;
      readonly stage: string;
      readonly operation: string;
      readonly query: object;
      readonly error: { readonly name: string; readonly message: string };
    }
  /** A query ended with fewer rows than the service claims. `final`: it was walked again in every order, and no more came. */
  | {
      readonly type: 'short';
      readonly at: number;
      readonly stage: string;
      readonly operation: string;
      readonly query: object;
      readonly got: number;
      readonly claimed: number;
      readonly final: boolean;
    }
  /** One of the first ten rows that this run writes to a file. */
  | { readonly type: 'sample'; readonly file: string; readonly row: unknown }
  /** A page of a tile, where a stage covers an area. */
  | { readonly type: 'tile'; readonly tile: TileNews }
  /** Something to tell the user. */
  | { readonly type: 'notice'; readonly at: number; readonly message: string; readonly stage?: string | undefined }
  | FlowSummary;

export interface StageProgress {
  readonly name: string;
  /** The operation. */
  readonly call: string;
  /** Stages, or the one seed file. */
  readonly each: readonly string[];
  readonly to: readonly string[];
  /** The columns that `keep` puts into its rows. */
  readonly keep: readonly string[];
  /** Queries that ended well. */
  readonly done: number;
  /** Queries found and not ended; of a seed file only what was read so far. */
  readonly waiting: number;
  readonly failed: number;
  /** Queries that a limit of the flow cut short. */
  readonly capped: number;
  /** Queries that ended with too few of the rows that the service claims; those that miss so few that the claim may be wrong. */
  readonly short: number;
  readonly nearly: number;
  /** Rows of the queries that have a claim, and what is claimed; both 0 where no query has one. */
  readonly got: number;
  readonly claimed: number;
  /** In what the rows miss the flow's expectations, each as a sentence. */
  readonly doubts: readonly string[];
  readonly pages: number;
  /** Written. */
  readonly rows: number;
  /** Rows that were skipped because they had no usable shape; only there where some were. */
  readonly skipped?: number | undefined;
  /** There are seeds that weren't read yet. */
  readonly more: boolean;
  readonly outcome: Outcome;
}

/**
 * `interrupted`: there is work left, and the same command does it. `failed`: queries are on record as failed. `doubtful`: the
 * rows miss an expectation of the flow. `short`: queries have fewer rows than the service claims. `capped`: limits of the
 * flow ended queries early.
 */
export type Outcome = 'complete' | 'capped' | 'short' | 'doubtful' | 'failed' | 'interrupted';

export interface FlowSummary {
  readonly type: 'summary';
  readonly name: string;
  readonly digest: string;
  readonly outDir: string;
  /** The worst of its stages. */
  readonly outcome: Outcome;
  /** Why it stopped or how it fell short, and what to do now; where there is something to say. */
  readonly because?: string | undefined;
  /** The flow was finished before: nothing was asked for. */
  readonly already: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Requests of this run, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** Answers of 429. */
  readonly throttled: number;
  readonly stages: readonly StageProgress[];
  /** What was not as documented in this run: each issue once, with the number of responses; only there where something was. */
  readonly drift?: readonly DriftCount[] | undefined;
  readonly files: readonly FlowFile[];
}

export interface FlowFile {
  /** Within the output folder. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Where the file is finished. */
  readonly sha256?: string | undefined;
}
