import { channel } from 'node:diagnostics_channel';
import type { Subscription } from 'rxjs';
import { countOf } from '../../../operators/kit/countOf.ts';
import type { Flow } from '../definition/Flow.ts';
import { RunRecorder } from '../report/index.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress, FlowSummary } from './FlowProgress.ts';
import { outcomeOf } from './progressOf.ts';
import { clientEvents, type ClientEvent, describeEvent } from '../../client/events/clientEvents.ts';
import type { DriftCount } from '../../contract/index.ts';
import type { RunTiming, MeanWait } from '../../files/dataPackage.ts';
import { type FailedAttempts, failedSince } from '../../errors/FailedAttempts.ts';
import type { Explanation } from '../../client/admission/Task.ts';

type Ending = Pick<
  FlowSummary,
  'outDir' | 'stages' | 'because' | 'overLimit' | 'already' | 'update' | 'changes' | 'price' | 'estimates' | 'files'
> & {
  /** Requests of this run and of those that it resumes. */
  readonly allRequests: number;
};

const published = channel('trawler:flow');

const runCounts = ['requests', 'retries', 'polls', 'throttled', 'hits'] as const;
type RunCounts = { readonly [name in (typeof runCounts)[number]]: number };

/** Reports the progress of a run, and gathers the data of its summary and its report. */
export class RunTeller {
  readonly #flow: Flow;
  readonly #client: FlowClient;
  readonly #startedAt: number;
  readonly #emit: (event: FlowProgress) => void;
  readonly #recorder: RunRecorder;
  readonly #waits = new WaitMeans();
  readonly #drift: DriftNotices;
  readonly #before: ReturnType<FlowClient['stats']>;
  readonly #events: Subscription;
  /** The client's counts when the crawl was over. */
  #ended: ReturnType<FlowClient['stats']> | undefined;

  constructor(flow: Flow, client: FlowClient, startedAt: number, emit: (event: FlowProgress) => void) {
    this.#flow = flow;
    this.#client = client;
    this.#startedAt = startedAt;
    this.#emit = emit;
    this.#recorder = new RunRecorder();
    this.#drift = new DriftNotices(client);
    this.#before = client.stats();
    this.#events = client.events$.subscribe((event) => {
      this.#recorder.event(event);
      if (event.type === 'drift') return this.#drift.of(event).forEach((message) => this.notice(message));
      if (event.type === 'unread') {
        if (!flow.stages.some((stage) => choosesRows(stage, event))) this.notice(unreadNotice(event));
        return;
      }
      const line = clientEvents[event.type].notice ? describeEvent(event) : undefined;
      if (line !== undefined) this.notice(line);
    });
  }

  readonly tell = (event: FlowProgress): void => {
    if (published.hasSubscribers) published.publish({ ...event, flow: this.#flow.name });
    this.#recorder.progress(event);
    if (event.type === 'progress') this.#waits.add(this.#client.explain?.() ?? []);
    this.#emit(event);
  };

  readonly notice = (message: string, stage?: string): void =>
    this.tell({ type: 'notice', at: Date.now(), ...(stage === undefined ? {} : { stage }), message });

  get #stats(): ReturnType<FlowClient['stats']> {
    return this.#ended ?? this.#client.stats();
  }

  counts(): RunCounts {
    const now = this.#stats;
    return Object.fromEntries(runCounts.map((name) => [name, now[name] - this.#before[name]])) as unknown as RunCounts;
  }

  #failed(): readonly FailedAttempts[] {
    return failedSince(this.#stats.failedAttempts, this.#before.failedAttempts);
  }

  drift(): ReturnType<DriftNotices['counts']> {
    return this.#drift.counts();
  }

  /** The searched tiles of stages that cover areas. */
  get maps(): RunRecorder['maps'] {
    return this.#recorder.maps;
  }

  /** undefined: no request was sent. */
  timing(): RunTiming | undefined {
    const { requests, throttled } = this.counts();
    if (requests === 0) return undefined;
    return {
      ms: Date.now() - this.#startedAt,
      requests,
      meanMs: this.#recorder.meanMs,
      throttled,
      failedAttempts: this.#failed(),
      rate: this.#stats.rate,
      inFlight: this.#waits.inFlight,
      waits: this.#waits.waits,
    };
  }

  summary(ending: Ending): FlowSummary {
    const { requests, retries, polls, throttled } = this.counts();
    const drift = this.drift();
    const failedAttempts = this.#failed();
    const { outDir, stages, because, already, estimates, files, allRequests, ...update } = ending;
    const earlier = already ? 0 : allRequests - requests;
    const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
    const refused = stages.reduce((sum, stage) => sum + (stage.refused ?? 0), 0);
    return {
      type: 'summary',
      name: this.#flow.name,
      digest: this.#flow.digest,
      outDir,
      // `because` goes first: a run may be stopped when all pages have come, but before its files are finished.
      outcome: because === undefined || already ? outcomeOf(stages) : 'interrupted',
      because: because ?? remark(already, failed, refused),
      already,
      ...update,
      startedAt: this.#startedAt,
      endedAt: Date.now(),
      requests,
      ...(earlier > 0 ? { earlierRequests: earlier } : {}),
      retries,
      ...(polls > 0 ? { polls } : {}),
      throttled,
      ...(failedAttempts.length === 0 ? {} : { failedAttempts }),
      stages,
      ...(estimates === undefined ? {} : { estimates }),
      ...(drift.length === 0 ? {} : { drift }),
      files,
    };
  }

  /** Stops counting. Later requests don't belong to the crawl. */
  close(): void {
    this.#ended ??= this.#client.stats();
    this.#events.unsubscribe();
  }
}

function remark(already: boolean, failed: number, refused: number): string | undefined {
  const what = failed > refused ? "run them again with the option 'failures'" : 'they are refused as they are';
  const failures = `${countOf(failed, 'query', 'queries')} failed and ${failed === 1 ? 'is' : 'are'} in failures.jsonl; ${what}`;
  if (already) return `the flow was finished before, so no request was sent${failed > 0 ? `; ${failures}` : ''}`;
  return failed > 0 ? failures : undefined;
}

/** Whether the stage chose its list itself, or splits by the values of the unread one. */
function choosesRows({ operation, definition }: Flow['stages'][number], event: Extract<ClientEvent, { type: 'unread' }>): boolean {
  const values = definition.split?.values;
  const isSplit = typeof values === 'string' && values.startsWith(event.list);
  return operation.name === event.operation && (isSplit || definition.rows !== undefined);
}

function unreadNotice({ operation, list, items }: Extract<ClientEvent, { type: 'unread' }>): string {
  return (
    `${operation}: a response has ${items} rows in '${list}', which nothing reads. If they are the rows you want, add "rows": ` +
    `"${list}" to the stage, or correct the list in the description of the service`
  );
}

/** Collects a client's reports of undocumented responses during one run of a flow. */
class DriftNotices {
  readonly #client: FlowClient;
  readonly #before: ReadonlyMap<string, DriftCount>;
  readonly #skipping = new Set<string>();

  constructor(client: FlowClient) {
    this.#client = client;
    this.#before = new Map(client.drift?.().map((issue) => [keyOf(issue), issue]));
  }

  /** The notice for an event. Each issue is reported once, and skipped rows once per operation. */
  of({ operation, issues, skipped }: Extract<ClientEvent, { type: 'drift' }>): readonly string[] {
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
      .map((issue) => {
        const { responses = 0, looked = 0 } = this.#before.get(keyOf(issue)) ?? {};
        return { ...issue, responses: issue.responses - responses, looked: issue.looked - looked };
      })
      .filter(({ responses }) => responses > 0);
  }
}

function keyOf({ operation, path }: DriftCount): string {
  return `${operation} ${path}`;
}

/** How many requests were in flight and how many waited, on average over the samples. */
export class WaitMeans {
  #samples = 0;
  #inFlight = 0;
  readonly #waiting = new Map<string, number>();

  add(waits: readonly Explanation[]): void {
    this.#samples += 1;
    for (const { state, for: reason, count } of waits) {
      if (state === 'in flight') this.#inFlight += count;
      else if (reason !== undefined) this.#waiting.set(reason, (this.#waiting.get(reason) ?? 0) + count);
    }
  }

  get inFlight(): number {
    return this.#mean(this.#inFlight);
  }

  /** What they waited for, the most first. */
  get waits(): readonly MeanWait[] {
    return Array.from(this.#waiting, ([reason, sum]) => ({ for: reason, requests: this.#mean(sum) })).toSorted(
      (one, other) => other.requests - one.requests,
    );
  }

  #mean(sum: number): number {
    return Math.round((sum / Math.max(1, this.#samples)) * 10) / 10;
  }
}
