import type { LatencySummary } from './LatencyHistogram.ts';
import type { Bucket } from './TimeSeries.ts';

/** Everything that `report.html` says. Times are milliseconds since 1970. */
export interface ReportData {
  /** The flow's name. */
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** How the run ended; `interrupted`: it can go on. */
  readonly outcome: 'complete' | 'capped' | 'failed' | 'interrupted';
  /** Why, where there is more to say: the budget, the signal, the error that stopped it. */
  readonly because?: string | undefined;
  /** Requests that this run sent, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** Answers of 429. */
  readonly throttled: number;
  readonly stages: readonly ReportStage[];
  readonly files: readonly ReportFile[];
  readonly record: RunRecord;
}

export interface ReportStage {
  readonly name: string;
  /** The operation. */
  readonly call: string;
  /** The stages, or the one seed file, whose rows it runs over. */
  readonly each: readonly string[];
  /** Units that are finished, that wait, and that failed. */
  readonly done: number;
  readonly waiting: number;
  readonly failed: number;
  readonly pages: number;
  readonly rows: number;
  readonly completeness: 'complete' | 'capped' | 'failed' | 'interrupted';
  /** The files it writes. */
  readonly to: readonly string[];
}

export interface ReportFile {
  /** Within the output folder. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Where the file is finished. */
  readonly sha256?: string | undefined;
}

/** What a `RunRecorder` gathered. */
export interface RunRecord {
  readonly startedAt: number;
  readonly widthMs: number;
  readonly buckets: readonly Readonly<Bucket>[];
  readonly latency: LatencySummary;
  readonly failures: readonly ReportFailures[];
  /** The first rows of each file, by its path. */
  readonly samples: ReadonlyMap<string, readonly unknown[]>;
}

/** The failures of one class. */
export interface ReportFailures {
  readonly name: string;
  readonly count: number;
  readonly example: string;
  readonly stages: readonly string[];
}
