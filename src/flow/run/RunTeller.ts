import { channel } from 'node:diagnostics_channel';
import type { Subscription } from 'rxjs';
import type { Flow } from '../definition/Flow.ts';
import { RunRecorder } from '../report/index.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress, FlowSummary } from './FlowProgress.ts';
import { outcomeOf } from './progressOf.ts';
import { clientEvents, type ClientEvent } from '../../client/events/clientEvents.ts';
import { describeEvent } from '../../client/events/describeEvent.ts';
import type { DriftCount } from '../../contract/index.ts';

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
      if (clientEvents[event.type].notice) this.notice(describeEvent(event)!);
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

/** Collects a client's reports of undocumented responses during one run of a flow. */
class DriftNotices {
  readonly #client: FlowClient;
  readonly #before: ReadonlyMap<string, number>;
  readonly #skipping = new Set<string>();

  constructor(client: FlowClient) {
    this.#client = client;
    this.#before = new Map(client.drift?.().map((issue) => [keyOf(issue), issue.responses]));
  }

  /** The notice for an event. Each issue is reported once, and skipped rows once per operation. */
  of(event: ClientEvent): readonly string[] {
    if (event.type !== 'drift') return [];
    const { operation, issues, skipped } = event;
    const messages = issues.map(({ path, message }) => `${operation}: the response is not as documented: ${path}: ${message}`);
    if (skipped > 0 && !this.#skipping.has(operation)) {
      this.#skipping.add(operation);
      messages.push(`${operation}: rows without a usable shape are skipped; the summary says how many`);
    }
    return messages;
  }

  /** The issues found in this run. */
  counts(): readonly DriftCount[] {
    const all = this.#client.drift?.() ?? [];
    return all
      .map((issue) => ({ ...issue, responses: issue.responses - (this.#before.get(keyOf(issue)) ?? 0) }))
      .filter(({ responses }) => responses > 0);
  }
}

function keyOf({ operation, path }: DriftCount): string {
  return `${operation} ${path}`;
}
