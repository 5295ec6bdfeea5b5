import type { FlowProgress, StageProgress } from '../../flow/index.ts';
import type { RunView } from './RunView.ts';
import { estimateLeft } from './estimateLeft.ts';

const windowMs = 5000;

/** Turns what a run says into what there is to see of it. */
export class RunMeter {
  readonly #maxRequests: number | undefined;
  readonly #recent: { readonly at: number; readonly requests: number }[] = [];
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
    const { at, client } = progress;
    this.#recent.push({ at, requests: client.requests });
    while (this.#recent.length > 2 && (this.#recent[1]?.at ?? at) < at - windowMs) this.#recent.shift();
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Undefined before the run has started. */
  view(now: number): RunView | undefined {
    const start = this.#start;
    if (start === undefined) return undefined;
    const stages: readonly StageProgress[] = this.#summary?.stages ?? this.#latest?.stages ?? start.stages;
    const client = this.#latest?.client;
    const elapsedMs = Math.max(0, (this.#summary?.endedAt ?? now) - start.at);
    return {
      name: start.name,
      resumed: start.resumed,
      elapsedMs,
      left: estimateLeft(start.stages, stages, elapsedMs),
      stages,
      requests: this.#summary?.requests ?? client?.requests ?? 0,
      maxRequests: this.#maxRequests,
      requestsPerSecond: this.#perSecond(),
      throttled: this.#summary?.throttled ?? client?.throttled ?? 0,
      rate: client?.rate,
      pausedMs: client?.pausedMs ?? 0,
      stopping: this.#stopping,
      ended: this.#summary !== undefined,
    };
  }

  #perSecond(): number {
    const [first, last] = [this.#recent[0], this.#recent.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return ((last.requests - first.requests) * 1000) / (last.at - first.at);
  }
}
