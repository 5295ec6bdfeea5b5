import type { FailedAttempts } from '../../errors/index.ts';
import type { FlowProgress, StageProgress } from '../../flow/index.ts';
import { expectPages, FailureKinds, RecentPace, sharesOf, timeLeft, type ReportFailures, type Shares, type StagePages, type TimeLeft } from '../../flow/report/index.ts'; // prettier-ignore

/** Turns the progress of a run into its visible state. */
export class RunMeter {
  readonly #maxRequests: number | undefined;
  readonly #pace = new RecentPace();
  readonly #failures = new FailureKinds();
  readonly #furthest = new Map<string, number>();
  #start: Extract<FlowProgress, { type: 'start' }> | undefined;
  #latest: Extract<FlowProgress, { type: 'progress' }> | undefined;
  #summary: Extract<FlowProgress, { type: 'summary' }> | undefined;
  #stopping = false;

  constructor(maxRequests?: number) {
    this.#maxRequests = maxRequests;
  }

  take(progress: FlowProgress): void {
    if (progress.type === 'start') this.#start = progress;
    if (progress.type === 'summary') this.#summary = progress;
    if (progress.type !== 'progress') return;
    this.#latest = progress;
    this.#pace.take(progress.at, progress.client.requests);
  }

  /** Counts a failure. Returns true for the first of its kind in a stage. */
  failed({ stage, error }: Extract<FlowProgress, { type: 'failure' }>): boolean {
    return this.#failures.add(stage, error);
  }

  stop(): void {
    this.#stopping = true;
  }

  /** undefined before the run has started. */
  view(now: number): RunView | undefined {
    const start = this.#start;
    if (start === undefined) return undefined;
    const stages: readonly StageProgress[] = this.#summary?.stages ?? this.#latest?.stages ?? start.stages;
    const client = this.#latest?.client;
    const elapsedMs = Math.max(0, (this.#summary?.endedAt ?? now) - start.at);
    const pages = expectPages(stages);
    const before = start.stages.reduce((sum, stage) => sum + stage.pages, 0);
    return {
      name: start.name,
      resumed: start.resumed,
      elapsedMs,
      left: timeLeft(pages, before, elapsedMs),
      stages,
      bars: stages.map((stage, index) => this.#shares(stage.name, [pages[index] as StagePages], stage.outcome !== 'interrupted')),
      total: this.#shares(
        '',
        pages,
        stages.every((stage) => stage.outcome !== 'interrupted'),
      ),
      failures: this.#failures.list,
      requests: this.#summary?.requests ?? client?.requests ?? 0,
      maxRequests: this.#maxRequests,
      requestsPerSecond: this.#pace.perSecond,
      failedAttempts: this.#summary?.failedAttempts ?? client?.failedAttempts ?? [],
      rate: client?.rate,
      pausedMs: client?.pausedMs ?? 0,
      stopping: this.#stopping,
      ended: this.#summary !== undefined,
    };
  }

  /**
   * When more queries are found, the finished share shrinks. The bar then stands still, because a bar that moves backwards
   * confuses.
   */
  #shares(name: string, pages: readonly StagePages[], ended: boolean): Shares {
    const shares = sharesOf(pages, ended);
    if (ended) return shares;
    const done = Math.max(this.#furthest.get(name) ?? 0, shares.done);
    this.#furthest.set(name, done);
    return { done, found: Math.min(1 - done, shares.found) };
  }
}

/** What the client of a run does at this moment. */
interface RequestView {
  /** Sent by this run, retries included. */
  readonly requests: number;
  readonly maxRequests: number | undefined;
  /** Over the last few seconds. */
  readonly requestsPerSecond: number;
  /** Attempts that failed, retried or not, by reason: the most frequent first. */
  readonly failedAttempts: readonly FailedAttempts[];
  /** The client's rate limit. undefined if none is known. */
  readonly rate: number | undefined;
  readonly pausedMs: number;
}

/** The visible state of a run at one moment. */
export interface RunView extends RequestView {
  readonly name: string;
  /** The run continues an earlier one. */
  readonly resumed: boolean;
  readonly elapsedMs: number;
  /** The estimated time left, if there is one. */
  readonly left: TimeLeft | undefined;
  readonly stages: readonly StageProgress[];
  /** How far each stage is, in the order of `stages`. What is done never decreases. */
  readonly bars: readonly Shares[];
  readonly total: Shares;
  /** Each kind of failure once, the most frequent first. */
  readonly failures: readonly Pick<ReportFailures, 'kind' | 'stages' | 'count'>[];
  /** The run was told to stop and is finishing its writes. */
  readonly stopping: boolean;
  /** The run has ended, with or without success. */
  readonly ended: boolean;
}
