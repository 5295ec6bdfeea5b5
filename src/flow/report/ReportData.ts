import type { FlowSummary } from '../run/FlowProgress.ts';
import type { LatencySummary } from './LatencyHistogram.ts';
import type { Bucket } from './TimeSeries.ts';

/** Everything that `report.html` shows: the summary of a run, and what was recorded while it ran. */
export interface ReportData extends FlowSummary {
  readonly record: RunRecord;
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
