import { Observable } from 'rxjs';
import { anything, flag, having, number, signal, text, whole } from '../../../operators/options/kinds.ts';
import { declareOptions } from '../../../operators/options/OptionSet.ts';
import { currentDemand } from '../../../operators/demand/demandScope.ts';
import { takeOnlySince } from '../../client/attachStore.ts';
import type { FileSystem } from '../../sinks/index.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { renderReport } from '../report/index.ts';
import { packageFile, reportFile } from '../state/FlowFolder.ts';
import { FlowStore } from '../state/FlowStore.ts';
import { adoptUpdate, completeUpdate, isRetried, openUpdate, updateUnderWay } from '../update/openUpdate.ts';
import type { StageChanges, FlowProgress, FlowSummary, StageProgress } from './FlowProgress.ts';
import { datapackageOf } from './datapackageOf.ts';
import type { FlowClient } from './FlowClient.ts';
import { FlowRun } from './FlowRun.ts';
import { openFlowStore } from './openFlowStore.ts';
import { progressOf } from './progressOf.ts';
import { changeNotices, emptyAreas, undatedStages, unusedStages } from './runNotices.ts';
import { RunTeller } from './RunTeller.ts';

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
export const runFlowOptions = declareOptions<RunFlowOptions>()({
  client: anything<FlowClient>(),
  outDir: text('a path').needed(),
  resume: flag().or(true),
  fresh: flag().or(false),
  failures: flag().or(false),
  update: flag().or(false),
  repair: flag().or(false),
  concurrency: whole({ from: 1, finite: true }).or(32),
  maxRequests: whole({ from: 1 }),
  commitMs: number({ from: 0, to: 60_000 }).or(1000),
  command: anything<string>(),
  signal: signal(),
  stdin: having('a readable stream', 'on'),
  fileSystem: having('a file system', 'open'),
});

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
  runFlowOptions.check('runFlow', options);
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
    if (updates) {
      await main.finish(); // its files may lack their names after a crash, and are to be whole while the update runs
      store = await openUpdate(flow, main, options);
    } else begun = await updateUnderWay(main);
  } catch (error) {
    await main.close();
    throw error;
  }
  const teller = new RunTeller(flow, client, startedAt, emit);
  const { tell, notice } = teller;
  const stages = (): readonly StageProgress[] => progressOf(flow, store.history);
  const already = !updates && store.history.finished !== undefined;
  // Responses stored before the update began are the ones to bring up to date.
  const takeAll = updates ? takeOnlySince(client, store.history.startedAt) : () => undefined;
  let summary: FlowSummary;
  try {
    for (const message of [...main.notices, ...(updates ? store.notices : []), ...(begun === undefined ? [] : [begun])]) notice(message);
    tell({ type: 'start', at: startedAt, name: flow.name, outDir, resumed: store.resumed, stages: stages() });
    let because: string | undefined;
    if (!already && store.history.finished === undefined) because = await work(flow, store, options, demand, tell);
    if (!already && because !== undefined) await store.writeFailures();
    else if (signal.aborted) because = stopped;
    let changes: readonly StageChanges[] | undefined;
    if (already || because === undefined) {
      if (!already && !updates) for (const message of unusedStages(stages())) notice(message);
      for (const message of [...undatedStages(flow, store), ...emptyAreas(flow, stages())]) notice(message);
      if (updates) {
        changes = await completeUpdate(flow, store, main.folder);
        for (const [stage, message] of changeNotices(flow, changes, stages())) notice(message, stage);
      } else await store.finish();
      if (!already || !store.has(packageFile)) await store.replace(packageFile, datapackageOf(flow, store, teller.drift()));
    }
    const hits = teller.hits();
    if (hits > 0) notice(`${hits} ${hits === 1 ? 'page' : 'pages'} came from ${responses.folder}, without a request`);
    summary = teller.summary({
      outDir,
      stages: stages(),
      because,
      already,
      ...(updates || begun !== undefined ? { update: true } : {}),
      ...(changes === undefined ? {} : { changes }),
      // those of an unfinished update aren't in place yet
      files: (store.history.finished === undefined ? main : store).history.files,
    });
    if (!already || !store.has(reportFile))
      await store.replace(reportFile, renderReport({ ...summary, record: teller.record(), command: options.command }));
    if (updates && store.history.finished !== undefined) await adoptUpdate(flow, store, main.folder);
  } finally {
    takeAll();
    teller.close();
    if (updates) await store.close();
    await main.close();
  }
  tell(summary);
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
    random: Math.random,
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
