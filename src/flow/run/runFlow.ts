import { checkOptions } from '../../../operators/check/checkOptions.ts';
import { channel } from 'node:diagnostics_channel';
import { Observable } from 'rxjs';
import { currentDemand } from '../../../operators/demand/demandScope.ts';
import type { FileSystem } from '../../sinks/index.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { renderReport, RunRecorder } from '../report/index.ts';
import { packageFile, reportFile, updateFolder, updateJournal } from '../state/FlowFolder.ts';
import { FlowStore } from '../state/FlowStore.ts';
import { oldFlow } from '../state/oldFlow.ts';
import { takeOnlySince } from '../../client/attachStore.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress, FlowSummary, StageProgress } from './FlowProgress.ts';
import { DriftNotices } from './DriftNotices.ts';
import { FlowRun } from './FlowRun.ts';
import { datapackageOf } from './datapackageOf.ts';
import { openFlowStore } from './openFlowStore.ts';
import { outcomeOf, progressOf } from './progressOf.ts';
import { adoptUpdate, completeUpdate } from '../update/finishUpdate.ts';
import { Freshness } from '../update/Freshness.ts';
import { isCompared } from '../update/isCompared.ts';
import type { StageChanges } from '../update/StageChanges.ts';
import { journalFound } from './takePage.ts';

export interface RunFlowOptions {
  /** The client that sends the flow's requests. */
  readonly client: FlowClient;
  /** The output folder. It is made if it doesn't exist. */
  readonly outDir: string;
  /** Resume an earlier run in the same folder. false: fail if there is one. @default true */
  readonly resume?: boolean | undefined;
  /** Move the files of an earlier run into a numbered folder inside `outDir`, and start over. @default false */
  readonly fresh?: boolean | undefined;
  /** Also retry failed queries, and add their rows to the finished files. @default false */
  readonly failures?: boolean | undefined;
  /**
   * Bring a finished run up to date: request what is new, keep the rest, and write the changes to `changes`. A run
   * that is unfinished or missing is finished first. @default false
   */
  readonly update?: boolean | undefined;
  /**
   * Resume in a folder with a damaged journal or files, from the last intact commit. A copy of everything is
   * kept. Without this option, such a folder is an error that says what is wrong and how much must be requested again.
   * @default false
   */
  readonly repair?: boolean | undefined;
  /** Queries in flight. The client decides how many requests are in flight. @default 32 */
  readonly concurrency?: number | undefined;
  /** Request budget of this run, retries included. @default the flow's */
  readonly maxRequests?: number | undefined;
  /** The longest time from a page to its commit. @default 1000 */
  readonly commitMs?: number | undefined;
  /** The command that runs this flow again, for the report. @default none: the report shows code */
  readonly command?: string | undefined;
  /** Stops the run like unsubscribing, but still emits the summary. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The stream for seeds from `-`. @default process.stdin */
  readonly stdin?: NodeJS.ReadableStream | undefined;
  /** The file system to write to. @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

const progressMs = 100;
const known: { readonly [option in keyof RunFlowOptions]-?: true } = {
  client: true,
  outDir: true,
  resume: true,
  fresh: true,
  failures: true,
  update: true,
  repair: true,
  concurrency: true,
  maxRequests: true,
  commitMs: true,
  command: true,
  signal: true,
  stdin: true,
  fileSystem: true,
};
const published = channel('trawler:flow');

/**
 * Runs a flow. Cold: nothing happens until you subscribe. The last value is the summary. Unsubscribing stops
 * new requests, finishes the commit and closes. The next run resumes there and never requests a committed page again.
 *
 * It fails only if it can't continue: the key is refused, the disk is full, or the folder is in use. Pages
 * received until then are committed if possible.
 *
 * ```ts
 * const summary = await lastValueFrom(runFlow(flow, { client, outDir: 'out' }));
 * ```
 */
export function runFlow(flow: Flow | FlowDefinition, options: RunFlowOptions): Observable<FlowProgress> {
  checkOptions('runFlow', options, Object.keys(known));
  checkValues(options);
  const compiled = 'digest' in flow ? flow : compileFlow(flow);
  return new Observable((subscriber) => {
    const stopping = new AbortController();
    const demand = currentDemand();
    const tell = (event: FlowProgress): void => subscriber.next(event);
    const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([options.signal, stopping.signal]);
    run(compiled, { ...options, signal }, demand, tell).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => stopping.abort();
  });
}

type Demand = ReturnType<typeof currentDemand>;

async function run(
  flow: Flow,
  options: RunFlowOptions & { readonly signal: AbortSignal },
  demand: Demand,
  emit: (event: FlowProgress) => void,
): Promise<void> {
  const { client, outDir, signal } = options;
  const startedAt = Date.now();
  const recorder = new RunRecorder(startedAt);
  const tell = (event: FlowProgress): void => {
    if (published.hasSubscribers) published.publish({ ...event, flow: flow.name });
    recorder.progress(event);
    emit(event);
  };
  await using responses = openFlowStore(flow, client);
  const main = await FlowStore.open(flow, outDir, {
    ...options,
    update: false,
    replaceChanged: responses.folder !== undefined && options.resume !== false,
  });
  const updates = main.history.finished !== undefined && (options.update === true || (options.failures === true && isRetried(main)));
  let store = main;
  let begun: string | undefined;
  try {
    if (updates) store = await openUpdate(flow, main, options);
    else begun = await updateUnderWay(main);
  } catch (error) {
    await main.close();
    throw error;
  }
  let because: string | undefined;
  const before = client.stats();
  const already = !updates && store.history.finished !== undefined;
  const drift = new DriftNotices(client);
  // What was stored before an update began is what it is to bring up to date.
  const takeAll = updates ? takeOnlySince(client, store.history.startedAt) : () => undefined;
  let changes: readonly StageChanges[] | undefined;
  const recording = client.events$.subscribe((event) => {
    recorder.event(event);
    for (const message of drift.of(event)) tell({ type: 'notice', at: Date.now(), message });
    if (event.type === 'store') tell({ type: 'notice', at: event.at, message: event.message });
  });
  let summary: FlowSummary;
  try {
    const notices = [...main.notices, ...(updates ? store.notices : []), ...(begun === undefined ? [] : [begun])];
    for (const message of notices) tell({ type: 'notice', at: startedAt, message });
    tell({ type: 'start', at: startedAt, name: flow.name, outDir, resumed: store.resumed, stages: progressOf(flow, store.history) });
    if (!already && store.history.finished === undefined) because = await work(flow, store, options, demand, tell);
    if (!already && because !== undefined) await store.writeFailures();
    else if (signal.aborted) because = stopped;
    if (already || because === undefined) {
      if (!already && !updates)
        for (const message of unusedStages(progressOf(flow, store.history))) tell({ type: 'notice', at: Date.now(), message });
      for (const message of undatedStages(flow, store)) tell({ type: 'notice', at: Date.now(), message });
      if (updates) tellChanges((changes = await completeUpdate(flow, store, main.folder)));
      else await store.finish();
      if (!already || !store.has(packageFile)) await store.replace(packageFile, datapackageOf(flow, store, drift.counts()));
    }
    const hits = client.stats().hits - before.hits;
    if (hits > 0)
      tell({
        type: 'notice',
        at: Date.now(),
        message: `${hits} ${hits === 1 ? 'page' : 'pages'} came from ${responses.folder}, without a request`,
      });
    summary = summarize();
    if (!already || !store.has(reportFile))
      await store.replace(reportFile, renderReport({ ...summary, record: recorder.record(), command: options.command }));
    if (updates && store.history.finished !== undefined) await adoptUpdate(flow, store, main.folder);
  } finally {
    takeAll();
    recording.unsubscribe();
    if (updates) await store.close();
    await main.close();
  }
  tell(summary);

  function tellChanges(found: readonly StageChanges[]): void {
    for (const { stage, added, late, changed, gone, file } of found) {
      const ofThem = late === 0 ? '' : ` (${late} of them late: older than what was known)`;
      const message = `${stage}: ${added} ${added === 1 ? 'row' : 'rows'} added${ofThem}, ${changed} changed, ${gone} gone: see ${file}`;
      tell({ type: 'notice', at: Date.now(), stage, message });
    }
    for (const { name, unchanged = 0 } of progressOf(flow, store.history))
      if (unchanged > 0)
        tell({ type: 'notice', at: Date.now(), stage: name, message: `${name}: ${unchanged} queries skipped, as nothing has changed` });
    for (const stage of flow.stages.filter(({ outputs }) => outputs.length > 0)) {
      if (isCompared(flow, stage)) continue;
      const message = `${stage.name}: its files were replaced, and not compared: that takes a .jsonl file, and 'by' where the operation has no id`;
      tell({ type: 'notice', at: Date.now(), stage: stage.name, message });
    }
  }

  function summarize(): FlowSummary {
    const stages = progressOf(flow, store.history);
    const now = client.stats();
    const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
    return {
      type: 'summary',
      name: flow.name,
      digest: flow.digest,
      outDir,
      outcome: outcomeOf(stages),
      because: because ?? remark(already, failed),
      already,
      ...(updates || begun !== undefined ? { update: true as const } : {}),
      ...(changes === undefined ? {} : { changes }),
      startedAt,
      endedAt: Date.now(),
      requests: now.requests - before.requests,
      retries: now.retries - before.retries,
      throttled: now.throttled - before.throttled,
      stages,
      ...(drift.counts().length === 0 ? {} : { drift: drift.counts() }),
      // those of an unfinished update aren't in place yet
      files: (store.history.finished === undefined ? main : store).history.files,
    };
  }
}

/** Stages that made no query from any of their input rows. */
function unusedStages(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap((stage) => {
    const parents = stages.filter(({ name }) => stage.each.includes(name));
    const rows = parents.reduce((sum, parent) => sum + parent.rows, 0);
    if (rows === 0 || stage.done + stage.failed + stage.waiting > 0) return [];
    const from = parents.map(({ name }) => name).join(' and ');
    return [`stage ${stage.name} made no query out of the ${rows} rows of ${from}: none of them has what its query needs`];
  });
}

/** Starts or resumes the update of a finished run. */
async function openUpdate(flow: Flow, main: FlowStore, options: RunFlowOptions): Promise<FlowStore> {
  const { fileSystem, repair } = options;
  const { failed, short } = main.state;
  const retry = {
    failed: Array.from(failed.values(), ({ query }) => journalFound(flow, query)),
    short: Array.from(short.values()).flatMap(({ query, final }) => (final ? [] : [journalFound(flow, query)])),
  };
  const store = await FlowStore.open(flow, main.folder.at(updateFolder), {
    update: true,
    failures: options.failures === true && main.folder.hasUpdate,
    retry: options.update === true || main.folder.hasUpdate ? undefined : retry,
    repair,
    fileSystem,
    last: main.folder.lastRows(),
  });
  try {
    store.freshness = await Freshness.load(flow, main.folder);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Whether an update retries what failed: it goes on with one, or brings the rows that another had to leave as they were. */
function isRetried({ folder, history, hasFailures }: FlowStore): boolean {
  return folder.hasUpdate || (history.update && hasFailures);
}

/** What to know of an update that isn't finished, where the run leaves it alone. */
async function updateUnderWay({ folder }: FlowStore): Promise<string | undefined> {
  const update = folder.hasUpdate ? await oldFlow(folder.at(updateJournal), folder.fileSystem) : undefined;
  if (update === undefined) return undefined;
  const pages = `${update.pages} ${update.pages === 1 ? 'page' : 'pages'}`;
  return `an update of ${new Date(update.at).toISOString()} isn't finished; it has ${pages} so far. The files are as they were before it. Finish it with the option 'update'`;
}

/** Stages with `since` none of whose rows says when it is from. */
function undatedStages(flow: Flow, { dated }: FlowStore): readonly string[] {
  return [...dated].flatMap(([name, isDated]) => {
    if (isDated) return [];
    const { path } = flow.byName.get(name)!.since!.field;
    return [`${name}: no row says in '${path}' when it is from, so updates walk all of its pages`];
  });
}

/** Runs the remaining work. Returns the reason if it stopped early. */
async function work(
  flow: Flow,
  store: FlowStore,
  options: RunFlowOptions & { readonly signal: AbortSignal },
  demand: Demand,
  tell: (event: FlowProgress) => void,
): Promise<string | undefined> {
  const { client, signal } = options;
  const running = new FlowRun(flow, store, {
    client,
    concurrency: options.concurrency ?? 32,
    maxRequests: options.maxRequests ?? flow.maxRequests,
    commitMs: options.commitMs ?? 1000,
    stdin: options.stdin,
    demand,
    tell,
  });
  const stop = (): void => running.stop(stopped);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  void store.lost.then((error) => running.abandon(error));
  const look = (): void => tell({ type: 'progress', at: Date.now(), stages: progressOf(flow, store.history), client: client.stats() });
  const looking = setInterval(look, progressMs);
  try {
    await running.run();
    look();
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
  }
  return running.because;
}

const stopped = 'it was stopped';

function remark(already: boolean, failed: number): string | undefined {
  const failures = `${failed} ${failed === 1 ? 'query' : 'queries'} failed and ${failed === 1 ? 'is' : 'are'} in failures.jsonl; run them again with the option 'failures'`;
  if (already) return `the flow was finished before, so no request was sent${failed > 0 ? `; ${failures}` : ''}`;
  return failed > 0 ? failures : undefined;
}

function checkValues({ concurrency, maxRequests, commitMs, outDir }: RunFlowOptions): void {
  const refuse = (option: string, must: string, value: unknown): never => {
    throw new RangeError(`runFlow: ${option} must be ${must}, not ${String(value)}`);
  };
  if (typeof outDir !== 'string' || outDir === '' || outDir.includes('\0')) refuse('outDir', 'a path', outDir);
  if (concurrency !== undefined && !(Number.isSafeInteger(concurrency) && concurrency >= 1))
    refuse('concurrency', 'a whole number from 1 on', concurrency);
  if (maxRequests !== undefined && !(maxRequests === Infinity || (Number.isSafeInteger(maxRequests) && maxRequests >= 1))) {
    refuse('maxRequests', 'a whole number from 1 on, or Infinity', maxRequests);
  }
  if (commitMs !== undefined && !(commitMs >= 0 && commitMs <= 60_000)) refuse('commitMs', 'from 0 to 60000', commitMs);
}
