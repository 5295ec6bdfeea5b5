import type { StageProgress } from '../../flow/index.ts';
import type { TimeLeft } from './estimateLeft.ts';

/** What there is to see of a run at one moment. */
export interface RunView {
  readonly name: string;
  /** It goes on where an earlier run stopped. */
  readonly resumed: boolean;
  readonly elapsedMs: number;
  /** An estimate, where there is one. */
  readonly left: TimeLeft | undefined;
  readonly stages: readonly StageProgress[];
  /** Sent by this run, retries included. */
  readonly requests: number;
  readonly maxRequests: number | undefined;
  /** Over the last few seconds. */
  readonly requestsPerSecond: number;
  /** Answers of 429. */
  readonly throttled: number;
  /** What the client holds itself to; undefined: no limit is known. */
  readonly rate: number | undefined;
  readonly pausedMs: number;
  /** It was told to stop and finishes what is being written. */
  readonly stopping: boolean;
  /** It is over, one way or another. */
  readonly ended: boolean;
}
