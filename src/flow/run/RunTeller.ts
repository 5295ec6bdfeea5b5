import { channel } from 'node:diagnostics_channel';
import type { Subscription } from 'rxjs';
import type { Flow } from '../definition/Flow.ts';
import { RunRecorder } from '../report/index.ts';
import { DriftNotices } from './DriftNotices.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress, FlowSummary } from './FlowProgress.ts';
import { outcomeOf } from './progressOf.ts';

type Ending = Pick<FlowSummary, 'outDir' | 'stages' | 'because' | 'already' | 'update' | 'changes' | 'files'>;

const published = channel('trawler:flow');

/** Reports the progress of a run, and gathers the data of its summary and its report. */
export class RunTeller {
  readonly #flow: Flow;
  readonly #client: FlowClient;
  readonly #startedAt: number;
  readonly #emit: (event: FlowProgress) => void;
  readonly #recorder: RunRecorder;
  readonly #drift: DriftNotices;
  readonly #before: ReturnType<FlowClient['stats']>;
  readonly #events: Subscription;

  constructor(flow: Flow, client: FlowClient, startedAt: number, emit: (event: FlowProgress) => void) {
    this.#flow = flow;
    this.#client = client;
    this.#startedAt = startedAt;
    this.#emit = emit;
    this.#recorder = new RunRecorder(startedAt);
    this.#drift = new DriftNotices(client);
    this.#before = client.stats();
    this.#events = client.events$.subscribe((event) => {
      this.#recorder.event(event);
      for (const message of this.#drift.of(event)) this.notice(message);
      if (event.type === 'store') this.notice(event.message);
    });
  }

  readonly tell = (event: FlowProgress): void => {
    if (published.hasSubscribers) published.publish({ ...event, flow: this.#flow.name });
    this.#recorder.progress(event);
    this.#emit(event);
  };

  readonly notice = (message: string, stage?: string): void =>
    this.tell({ type: 'notice', at: Date.now(), ...(stage === undefined ? {} : { stage }), message });

  /** Pages of this run that came from the store. */
  hits(): number {
    return this.#client.stats().hits - this.#before.hits;
  }

  drift(): ReturnType<DriftNotices['counts']> {
    return this.#drift.counts();
  }

  record(): ReturnType<RunRecorder['record']> {
    return this.#recorder.record();
  }

  summary(ending: Ending): FlowSummary {
    const now = this.#client.stats();
    const drift = this.drift();
    const { outDir, stages, because, already, files, ...update } = ending;
    const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
    return {
      type: 'summary',
      name: this.#flow.name,
      digest: this.#flow.digest,
      outDir,
      outcome: outcomeOf(stages),
      because: because ?? remark(already, failed),
      already,
      ...update,
      startedAt: this.#startedAt,
      endedAt: Date.now(),
      requests: now.requests - this.#before.requests,
      retries: now.retries - this.#before.retries,
      throttled: now.throttled - this.#before.throttled,
      stages,
      ...(drift.length === 0 ? {} : { drift }),
      files,
    };
  }

  close(): void {
    this.#events.unsubscribe();
  }
}

function remark(already: boolean, failed: number): string | undefined {
  const failures = `${failed} ${failed === 1 ? 'query' : 'queries'} failed and ${failed === 1 ? 'is' : 'are'} in failures.jsonl; run them again with the option 'failures'`;
  if (already) return `the flow was finished before, so no request was sent${failed > 0 ? `; ${failures}` : ''}`;
  return failed > 0 ? failures : undefined;
}
