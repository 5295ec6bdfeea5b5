import type { FlowSummary } from '../run/FlowProgress.ts';
import type { LatencySummary } from './LatencyHistogram.ts';
import type { MapSketch } from './MapSketch.ts';
import type { Bucket } from './TimeSeries.ts';

/** Everything that `report.html` shows: the summary of a run, and what was recorded while it ran. */
export interface ReportData extends FlowSummary {
  readonly record: RunRecord;
  /** What was typed to run the flow, without flags that hold for one run only; none where code ran it. */
  readonly command?: string | undefined;
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
  /** What stages that cover areas searched, by their names. */
  readonly maps?: ReadonlyMap<string, MapSketch> | undefined;
}

/** The failures of one kind: the same class, and messages that differ only in the query, ids and figures. */
export interface ReportFailures {
  readonly name: string;
  /** What their messages have in common. */
  readonly kind: string;
  readonly count: number;
  readonly example: string;
  readonly stages: readonly string[];
}
