import { join } from 'node:path';
import { channel } from 'node:diagnostics_channel';
import type { Subscription } from 'rxjs';
import type { Flow } from '../definition/Flow.ts';
import { RunRecorder } from '../report/index.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress, FlowSummary, StageChanges, StageProgress } from './FlowProgress.ts';
import { outcomeOf } from './progressOf.ts';
import { clientEvents, type ClientEvent, describeEvent } from '../../client/events/clientEvents.ts';
import type { DriftCount } from '../../contract/index.ts';
import type { RunTiming } from '../../files/dataPackage.ts';
import { WaitMeans } from './WaitMeans.ts';
import { emptyArea } from '../../../operators/split/coverFault.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { isCompared } from '../update/mergeRows.ts';

type Ending = Pick<
  FlowSummary,
  'outDir' | 'stages' | 'because' | 'already' | 'update' | 'changes' | 'estimates' | 'notEstimated' | 'files'
>;

const published = channel('trawler:flow');

const counted = ['requests', 'retries', 'throttled', 'hits', 'notModified'] as const;
type RunCounts = { readonly [name in (typeof counted)[number]]: number };

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
      if (event.type === 'drift') return this.#drift.of(event).forEach((message) => this.notice(message));
      if (event.type === 'unread') {
        if (!flow.stages.some((stage) => splitsBy(stage, event))) this.notice(unreadNotice(event));
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

  /** What the client has counted in this run. */
  counts(): RunCounts {
    const now = this.#client.stats();
    return Object.fromEntries(counted.map((name) => [name, now[name] - this.#before[name]])) as unknown as RunCounts;
  }

  drift(): ReturnType<DriftNotices['counts']> {
    return this.#drift.counts();
  }

  record(): ReturnType<RunRecorder['record']> {
    return this.#recorder.record(this.counts().requests);
  }

  /** undefined: no request was sent. */
  timing(): RunTiming | undefined {
    const { requests, throttled } = this.counts();
    if (requests === 0) return undefined;
    return {
      ms: Date.now() - this.#startedAt,
      requests,
      medianMs: this.#recorder.medianMs,
      throttled,
      rate: this.#client.stats().rate,
      inFlight: this.#waits.inFlight,
      waits: this.#waits.waits,
    };
  }

  summary(ending: Ending): FlowSummary {
    const { requests, retries, throttled, notModified } = this.counts();
    const drift = this.drift();
    const { outDir, stages, because, already, estimates, notEstimated, files, ...update } = ending;
    const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
    return {
      type: 'summary',
      name: this.#flow.name,
      digest: this.#flow.digest,
      outDir,
      // A run may be stopped when all pages are there, and only its files are left to finish.
      outcome: because === undefined || already ? outcomeOf(stages) : 'interrupted',
      because: because ?? remark(already, failed),
      already,
      ...update,
      startedAt: this.#startedAt,
      endedAt: Date.now(),
      requests,
      retries,
      throttled,
      ...(notModified === 0 ? {} : { notModified }),
      stages,
      ...(estimates === undefined ? {} : { estimates }),
      ...(notEstimated === undefined ? {} : { notEstimated }),
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

/** Whether a stage splits by the values of this list. */
function splitsBy({ operation, definition }: Flow['stages'][number], event: Extract<ClientEvent, { type: 'unread' }>): boolean {
  const values = definition.split?.values;
  return operation.name === event.operation && typeof values === 'string' && values.startsWith(event.list);
}

function unreadNotice({ operation, list, items }: Extract<ClientEvent, { type: 'unread' }>): string {
  return `${operation}: a response has ${items} rows in '${list}', which nothing reads. If they are the rows you want, add "rows": "${list}" to the stage, or correct the list in the description of the service`;
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
      .map((issue) => ({ ...issue, responses: issue.responses - (this.#before.get(keyOf(issue)) ?? 0) }))
      .filter(({ responses }) => responses > 0);
  }
}

function keyOf({ operation, path }: DriftCount): string {
  return `${operation} ${path}`;
}

/** Stages that made no query from any of their input rows. */
export function unusedStages(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap((stage) => {
    const parents = stages.filter(({ name }) => stage.each.includes(name));
    const rows = parents.reduce((sum, parent) => sum + parent.rows, 0);
    if (rows === 0 || stage.done + stage.failed + stage.waiting > 0) return [];
    const from = parents.map(({ name }) => name).join(' and ');
    return [`stage ${stage.name} made no query out of the ${rows} rows of ${from}: none of them has what its query needs`];
  });
}

/** Rows that a destination can't hold. */
export function rejectedRows(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap(({ name, loads = [] }) =>
    loads
      .filter(({ rejected }) => rejected > 0)
      .map(
        ({ to, rejected }) => `${name}: ${rejected} ${rejected === 1 ? "row doesn't" : "rows don't"} fit into ${to}: see rejected.jsonl`,
      ),
  );
}

/** Stages that covered areas without a row in them. */
export function emptyAreas(flow: Flow, stages: readonly StageProgress[]): readonly string[] {
  const covering = stages.filter(({ name, rows, done }) => rows === 0 && done > 0 && flow.byName.get(name)!.split?.kind === 'area');
  return covering.map(({ name }) => `${name}: ${emptyArea}`);
}

/** Stages with `since` none of whose rows says when it is from. */
export function undatedStages(flow: Flow, { dated }: FlowStore): readonly string[] {
  return [...dated].flatMap(([name, isDated]) => {
    if (isDated) return [];
    const { path } = flow.byName.get(name)!.since!.field;
    return [`${name}: no row says in '${path}' when it is from, so updates walk all of its pages`];
  });
}

/** What an update changed, and what it could not compare: the stage and a sentence. */
export function changeNotices(
  flow: Flow,
  changes: readonly StageChanges[],
  stages: readonly StageProgress[],
  outDir: string,
): readonly (readonly [stage: string, message: string])[] {
  return [
    ...changes.map(({ stage, added, late, changed, gone, file }) => {
      if (added + changed + gone === 0) return [stage, `${stage}: no row was added, changed or gone`] as const;
      const ofThem = late === 0 ? '' : ` (${late} of them late: older than what was known)`;
      return [
        stage,
        `${stage}: ${added} ${added === 1 ? 'row' : 'rows'} added${ofThem}, ${changed} changed, ${gone} gone: see ${join(outDir, file)}`,
      ] as const;
    }),
    ...changes
      .filter(({ unfound }) => unfound > 0)
      .map(({ stage, unfound }) => {
        const rows = `${unfound} known ${unfound === 1 ? 'row was' : 'rows were'} not found, though the service still counts`;
        return [stage, `${stage}: ${rows} ${unfound === 1 ? 'it. It stays' : 'them. They stay'}, and the next update looks again`] as const;
      }),
    ...stages
      .filter(({ unchanged = 0 }) => unchanged > 0)
      .map(({ name, unchanged }) => [name, `${name}: ${unchanged} queries skipped, as nothing has changed`] as const),
    ...flow.stages
      .filter((stage) => stage.outputs.length > 0 && !isCompared(flow, stage))
      .map(({ name }) => {
        const needs = "that takes a .jsonl file, and 'by' where the operation has no id";
        return [name, `${name}: its files were replaced, and not compared: ${needs}`] as const;
      }),
  ];
}
