import type { StageProgress } from '../../flow/index.ts';
import type { ReportFailures, TimeLeft } from '../../flow/report/index.ts';

/** The visible state of a run at one moment. */
export interface RunView {
  readonly name: string;
  /** It continues an earlier run. */
  readonly resumed: boolean;
  readonly elapsedMs: number;
  /** The estimated time left, if there is one. */
  readonly left: TimeLeft | undefined;
  readonly stages: readonly StageProgress[];
  /** How far each stage is, in the order of `stages`. */
  readonly bars: readonly Shares[];
  readonly total: Shares;
  /** Each kind of failure once, the most frequent first. */
  readonly failures: readonly Pick<ReportFailures, 'kind' | 'stages' | 'count'>[];
  /** Sent by this run, retries included. */
  readonly requests: number;
  readonly maxRequests: number | undefined;
  /** Over the last few seconds. */
  readonly requestsPerSecond: number;
  /** 429 responses. */
  readonly throttled: number;
  /** The client's rate limit. undefined if none is known. */
  readonly rate: number | undefined;
  readonly pausedMs: number;
  /** It was told to stop and is finishing its writes. */
  readonly stopping: boolean;
  /** It has ended, with or without success. */
  readonly ended: boolean;
}

/** Parts of a bar, each from 0 to 1. The rest up to 1 isn't known yet. */
export interface Shares {
  /** Received pages. Never decreases. */
  readonly done: number;
  /** Pages of queries that were found and are still to come. */
  readonly found: number;
}
