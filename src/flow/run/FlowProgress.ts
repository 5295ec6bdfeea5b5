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
  /** One of the first ten rows that this run writes to a file. */
  | { readonly type: 'sample'; readonly file: string; readonly row: unknown }
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
  readonly pages: number;
  /** Written. */
  readonly rows: number;
  /** There are seeds that weren't read yet. */
  readonly more: boolean;
  readonly outcome: Outcome;
}

/** `interrupted`: there is work left, and the same command does it. */
export type Outcome = 'complete' | 'capped' | 'failed' | 'interrupted';

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
