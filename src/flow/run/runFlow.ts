import { Observable } from 'rxjs';
import { anything, flag, having, number, signal, text, whole } from '../../../operators/options/kinds.ts';
import { declareOptions } from '../../../operators/options/OptionSet.ts';
import { serviceOfClient } from '../../client/attachStore.ts';
import { currentDemand } from '../../../operators/demand/demandScope.ts';
import { closeAfter } from '../../files/closeAfter.ts';
import { type FileSystem, postgresDestination } from '../../sinks/index.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { failuresByKind, previewsOf, renderReport } from '../report/index.ts';
import { packageFile, readDataPackage, type RowChanges } from '../../files/dataPackage.ts';
import { reportFile } from '../state/FlowFolder.ts';
import type { StageChanges, FlowProgress, FlowSummary } from './FlowProgress.ts';
import { loadedEarlier } from '../load/loadedEarlier.ts';
import { datapackageOf } from './datapackageOf.ts';
import { runNotes } from './runNotes.ts';
import { estimatesOf } from './estimatesOf.ts';
import { moreOf } from './moreOf.ts';
import { type FlowClient, type FlowResponses, openFlowStore } from './FlowClient.ts';
import { openRun, type RunPlan } from './openRun.ts';
import { progressOf } from './progressOf.ts';
import { type Destinations, RunLoads } from '../load/RunLoads.ts';
import { changeNotices, emptyAreas, rejectedRows, undatedStages, unusedStages, RunTeller } from './RunTeller.ts';
import { FlowRun } from './FlowRun.ts';

export interface RunFlowOptions {
  /** The client that sends the flow's requests. A flow that names no service has the client's. */
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
  /** The longest time until a page survives a power cut. The end of the process it mostly survives at once. @default 1000 */
  readonly commitMs?: number | undefined;
  /** The command that runs this flow again, for the report. @default none: the report shows code */
  readonly command?: string | undefined;
  /** Stops the run like unsubscribing, but still emits the summary. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The stream for seeds from `-`. @default process.stdin */
  readonly stdin?: NodeJS.ReadableStream | undefined;
  /** Where `to` leads besides files, by the word before the colon. @default postgres: where DATABASE_URL or PGHOST … say */
  readonly destinations?: Destinations | undefined;
  /** How long a run waits for a destination that is away: at the end, or when too much waits. Then it is `interrupted`. @default 60000 */
  readonly loadWaitMs?: number | undefined;
  /** The crawl waits while so many bytes of rows wait for destinations. @default 268435456 */
  readonly loadWaitingBytes?: number | undefined;
  /** The disk to write to, and to read seeds from if `flow` is a definition. @default the flow's, which is nodeFileSystem */
  readonly fileSystem?: FileSystem | undefined;
}

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
  destinations: anything<Destinations>(),
  loadWaitMs: number({ from: 0 }).or(60_000),
  loadWaitingBytes: whole({ from: 1 }).or(268_435_456),
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
  const given = runFlowOptions.read('runFlow', options);
  const { fileSystem } = given;
  const service = serviceOfClient(options.client);
  const destinations = Object.keys(options.destinations ?? {});
  const compiled = 'digest' in flow ? flow : compileFlow(flow, { service, destinations, fileSystem });
  return new Observable((subscriber) => {
    const stopping = new AbortController();
    const demand = currentDemand();
    const tell = (event: FlowProgress): void => subscriber.next(event);
    const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([options.signal, stopping.signal]);
    run(compiled, { ...given, signal }, demand, tell).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => stopping.abort();
  });
}

type Demand = ReturnType<typeof currentDemand>;
type GivenOptions = ReturnType<typeof runFlowOptions.read<RunFlowOptions>> & { readonly signal: AbortSignal };

async function run(flow: Flow, options: GivenOptions, demand: Demand, emit: (event: FlowProgress) => void): Promise<void> {
  await closeAfter(openFlowStore(flow, options.client), (responses) => runWith(responses, flow, options, demand, emit));
}

async function runWith(
  responses: FlowResponses,
  flow: Flow,
  options: GivenOptions,
  demand: Demand,
  emit: (event: FlowProgress) => void,
): Promise<void> {
  const startedAt = Date.now();
  const plan = await openRun(flow, options, responses.folder !== undefined);
  const teller = new RunTeller(flow, options.client, startedAt, emit);
  const { signal, maxRequests = flow.maxRequests } = options;
  const isDone = plan.store.history.finished !== undefined;
  let loads: RunLoads | undefined;
  let summary: FlowSummary;
  try {
    if (!isDone) loads = await RunLoads.open(flow, plan.store, loadOptions(options, teller.notice));
    for (const message of plan.notices) teller.notice(message);
    teller.tell({
      type: 'start',
      at: startedAt,
      name: flow.name,
      outDir: options.outDir,
      resumed: plan.store.resumed,
      stages: progressOf(flow, plan.store.history),
    });
    const { tell } = teller;
    const reason = isDone ? undefined : await new FlowRun(flow, plan.store, { ...options, maxRequests, demand, tell, loads }).run();
    const waits = signal.aborted ? 'it was stopped' : await loads?.drain();
    summary = await complete(flow, plan, teller, { ...options, because: reason ?? waits, responses: responses.folder, loads });
    // An update whose journal says that it is finished may lack names, and be stopped before it gets them.
    if (summary.outcome !== 'interrupted') await plan.adopt();
  } finally {
    teller.close();
    await loads?.close();
    await plan.close();
  }
  teller.tell(summary);
}

interface CompleteOptions extends Pick<RunFlowOptions, 'outDir' | 'command'> {
  /** Why the work isn't done. undefined: it is. */
  readonly because: string | undefined;
  /** The folder of stored responses. */
  readonly responses: string | undefined;
  readonly loads: RunLoads | undefined;
}

function sumChanges(changes: readonly StageChanges[]): RowChanges {
  const sum = (kind: 'added' | 'changed' | 'gone'): number => changes.reduce((total, stage) => total + stage[kind], 0);
  return { added: sum('added'), changed: sum('changed'), gone: sum('gone') };
}

/** How rows are brought to destinations. */
function loadOptions(
  { destinations, loadWaitMs, loadWaitingBytes, signal }: GivenOptions,
  notice: RunTeller['notice'],
): Parameters<typeof RunLoads.open>[2] {
  return {
    destinations: { postgres: postgresDestination(), ...destinations },
    waitMs: loadWaitMs,
    waitingBytes: loadWaitingBytes,
    signal,
    notice,
  };
}

/** Completes the files where the work is done, and writes what the run says about itself. */
async function complete(
  flow: Flow,
  { kind, store, main, ...plan }: RunPlan,
  teller: RunTeller,
  { outDir, command, responses, loads, ...ending }: CompleteOptions,
): Promise<FlowSummary> {
  const { notice } = teller;
  const stages = progressOf(flow, store.history);
  let { because } = ending;
  let changes: readonly StageChanges[] | undefined;
  if (because === undefined || kind === 'repeat') {
    const remarks = [...(kind === 'crawl' ? unusedStages(stages) : []), ...undatedStages(flow, store), ...emptyAreas(flow, stages)];
    for (const message of remarks) notice(message);
    const settled = await plan.complete(async (found) => loads?.settle(flow, found));
    changes = settled.changes;
    because ??= settled.because;
    if (changes !== undefined)
      for (const [stage, message] of changeNotices(flow, changes, progressOf(flow, store.history))) notice(message, stage);
    if (because === undefined && plan.writes(packageFile)) {
      const last = readDataPackage(main.folder.path, main.folder.fileSystem)?.trawler;
      const startedAt = new Date(store.history.startedAt).toISOString();
      const runs = last === undefined ? [] : runNotes(last).filter((one) => one.startedAt !== startedAt);
      await store.folder.replace(packageFile, [
        datapackageOf(flow, store, teller.drift(), { runs, changes: changes && sumChanges(changes), timing: teller.timing() }),
      ]);
    }
  }
  if (because !== undefined && kind !== 'repeat') await store.writeFailures();
  const hits = teller.hits();
  if (hits > 0) notice(`${hits} ${hits === 1 ? 'page' : 'pages'} came from ${responses}, without a request`);
  const notModified = teller.notModified();
  if (notModified > 0)
    notice(`${notModified} stored ${notModified === 1 ? 'page is' : 'pages are'} as before: the service said so, for a request each`);
  const inStore = progressOf(flow, store.history);
  const told = kind === 'repeat' ? await loadedEarlier(flow, main.folder, inStore) : (loads?.progressOf(inStore) ?? inStore);
  for (const message of rejectedRows(told)) notice(message);
  const shown = because === undefined ? store : main; // the files of an update that was stopped aren't in place yet
  const summary = teller.summary({
    outDir,
    stages: told,
    because,
    already: kind === 'repeat',
    ...(plan.hasUpdate ? { update: true } : {}),
    ...(changes === undefined ? {} : { changes }),
    ...estimatesOf(flow, store.history),
    files: shown.history.files,
  });
  if (plan.writes(reportFile)) {
    const report = renderReport({
      ...summary,
      record: teller.record(),
      earlierRequests: Math.max(0, store.history.requests - summary.requests),
      failures: failuresByKind(store.state.failed.values()),
      areas: store.state.covers.rings,
      curves: moreOf(flow, store.history),
      previews: await previewsOf(flow, shown.folder),
      command,
    });
    await store.folder.replace(reportFile, [report]);
  }
  return summary;
}
