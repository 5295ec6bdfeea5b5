import { readRows } from '../state/readRows.ts';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { bookTo, keyWorked } from '../../client/flowAccess.ts';
import { keepFirst } from '../plan/firstQueries.ts';
import { quoteFault } from '../plan/quoteOf.ts';
import { FlowError, TrawlerError } from '../../errors/index.ts';
import { sinkFailure, systemCode } from '../../files/FileSystem.ts';
import { closeAfter } from '../../files/takeWatchedLock.ts';
import { postgresDestination } from '../../sinks/index.ts';
import type { Flow } from '../definition/Flow.ts';
import { countOf, failuresByKind, type HeadlineTable, previewsOf, readHeadlines, renderReport } from '../report/index.ts';
import { packageFile, readDataPackage, type RowChanges, runNotes } from '../../files/dataPackage.ts';
import { rejectedFile, type FlowFolder, reportFile } from '../state/FlowFolder.ts';
import type { StageProgress, StageChanges, FlowProgress, FlowSummary, SummaryTable } from './FlowProgress.ts';
import { datapackageOf, estimatesOf } from './datapackageOf.ts';
import { type FlowClients, type FlowResponses, joinClients, openResponses } from './FlowClient.ts';
import { planRun, type RunPlan } from './planRun.ts';
import { SentCount } from './RequestBudget.ts';
import { progressOf } from './progressOf.ts';
import { RunLoads, withLoads } from '../load/RunLoads.ts';
import { RunTeller } from './RunTeller.ts';
import { remarksOf, rejectedNotices, changeNotices, uncomparedNotices } from './endNotices.ts';
import { FlowRun } from './FlowRun.ts';
import type { RunFlowOptions, StartedOptions } from './RunFlowOptions.ts';

/** Runs a flow whose options are checked, with the store that it names, and tells what happens. The last event is the summary. */
export async function performRun(
  flow: Flow,
  options: StartedOptions,
  demand: DemandNode | undefined,
  emit: (event: FlowProgress) => void,
): Promise<void> {
  const clients = joinClients([options.client, ...(options.clients ?? [])]);
  const unbook = clients.all.map((client) => bookTo(client, flow.name));
  try {
    await closeAfter(openResponses(flow, clients), (responses) => runWith(responses, flow, options, clients, demand, emit));
  } catch (error) {
    // an error of the disk doesn't say what was being written, so the folder is named
    const ofDisk = !(error instanceof TrawlerError) && /^E(?!RR_)/.test(systemCode(error) ?? '');
    throw ofDisk ? sinkFailure(options.outDir, 'writing', error) : error;
  } finally {
    for (const end of unbook) end();
  }
}

async function runWith(
  responses: FlowResponses,
  flow: Flow,
  options: StartedOptions,
  clients: FlowClients,
  demand: DemandNode | undefined,
  emit: (event: FlowProgress) => void,
): Promise<void> {
  const startedAt = Date.now();
  const { quote } = options;
  const changed = quote && quoteFault(quote, flow);
  if (changed !== undefined) throw new FlowError(`${changed}. Make another quote: trawler plan --quote`);
  const plan = await planRun(flow, options, responses.keepsAll);
  const teller = new RunTeller(flow, clients, startedAt, emit);
  const { signal } = options;
  const ownLimit = options.maxRequests ?? flow.maxRequests;
  const isDone = plan.store.history.finished !== undefined;
  let loads: RunLoads | undefined;
  let sent: SentCount | undefined;
  let summary: FlowSummary | undefined;
  try {
    if (quote !== undefined) sent = new SentCount(plan.store.folder, quote.id, plan.store.history.requests);
    const quoted = Math.max(0, (quote?.most ?? Infinity) - (sent?.count ?? 0));
    const maxRequests = Math.min(ownLimit, quoted);
    if (!isDone && flow.stages.some(({ targets }) => targets.length > 0))
      loads = await RunLoads.open(flow, plan.store, {
        destinations: { postgres: postgresDestination(), ...options.destinations },
        waitMs: options.loadWaitMs,
        signal,
        notice: teller.notice,
      });
    for (const message of plan.notices) teller.notice(message);
    if (plan.kind === 'update') for (const [stage, message] of uncomparedNotices(flow)) teller.notice(message, stage);
    teller.tell({
      type: 'start',
      at: startedAt,
      name: flow.name,
      outDir: options.outDir,
      resumed: plan.store.resumed,
      began: plan.store.history.startedAt,
      stages: progressOf(flow, plan.store.history),
      client: clients.stats(),
    });
    const { tell } = teller;
    for (const client of clients.all) for (const key of [...plan.main.history.keys, ...plan.store.history.keys]) keyWorked(client, key);
    const isBudgetOfFlow = options.maxRequests === undefined;
    const quoteId = quoted <= ownLimit ? quote?.id : undefined;
    const run = { ...options, client: clients, maxRequests, isBudgetOfFlow, quoteId, sent, demand, tell };
    const crawl = isDone ? undefined : new FlowRun(plan.store.flow, plan.store, run);
    const reason = await crawl?.run().catch(async (error: unknown) => {
      await loads?.drain(true).catch(() => undefined); // only the first error is reported
      throw error;
    });
    const overLimit = crawl?.overLimit;
    const isStopped = signal.aborted;
    const unloaded = await loads?.drain(isStopped);
    const waits = isStopped ? 'it was stopped' : unloaded;
    const tookFirst = waits === undefined && crawl?.tookFirst === true;
    const first = tookFirst ? await keepFirst(plan.store.flow, plan.store) : undefined;
    const because =
      reason ??
      waits ??
      (first === undefined ? undefined : `only the first ${countOf(first.queries, 'query', 'queries')} of a stage were to be taken`);
    summary = await complete(flow, plan, teller, {
      ...options,
      because,
      overLimit,
      first,
      responses: responses.folders,
      loads,
    });
    // Not if it was interrupted: the files of a finished update may still lack their final names.
    if (summary.outcome !== 'interrupted') await plan.adopt();
  } finally {
    sent?.close();
    teller.close();
    await loads?.close();
    if (summary === undefined) await plan.store.discard().catch(() => undefined); // only the first error is reported
    await plan.close();
  }
  teller.tell(summary);
}

interface CompleteOptions extends Pick<RunFlowOptions, 'outDir' | 'command' | 'price' | 'accounts'>, Pick<FlowSummary, 'overLimit'> {
  /** Why the work isn't done. undefined: it is. */
  readonly because: string | undefined;
  /** Set if the run did the first queries of each stage, and these were all that it was to do. */
  readonly first: FlowSummary['first'];
  /** The folders of stored responses, in words. */
  readonly responses: string;
  readonly loads: RunLoads | undefined;
}

function sumChanges(changes: readonly StageChanges[]): RowChanges {
  const sum = (kind: 'new' | 'changed' | 'gone'): number => changes.reduce((total, stage) => total + stage[kind], 0);
  const isKnown = changes.every(({ goneUnknown }) => goneUnknown === undefined);
  return { new: sum('new'), changed: sum('changed'), ...(isKnown ? { gone: sum('gone') } : {}) };
}

/** Completes the files where the work is done, and writes what the run says about itself. */
async function complete(
  flow: Flow,
  { kind, store, main, ...plan }: RunPlan,
  teller: RunTeller,
  { outDir, command, price, overLimit, first, responses, loads, accounts: ask, ...ending }: CompleteOptions,
): Promise<FlowSummary> {
  const { notice } = teller;
  const loaded = (some: readonly StageProgress[]): readonly StageProgress[] => loads?.progressOf(some) ?? some;
  let { because } = ending;
  teller.close();
  const accounts = kind === 'repeat' ? [] : ((await ask?.()) ?? []);
  const stages = progressOf(flow, store.history);
  let changes: readonly StageChanges[] | undefined;
  let remarks: readonly string[] = [];
  if (because === undefined || kind === 'repeat') {
    remarks = remarksOf(flow, store, stages, kind === 'crawl');
    for (const message of remarks) notice(message);
    const settled = await plan.complete(async (found) => loads?.settle(flow, found));
    changes = settled.changes;
    because ??= settled.because;
    if (changes !== undefined)
      for (const [stage, message] of changeNotices(changes, progressOf(flow, store.history), outDir)) notice(message, stage);
    const last = readDataPackage(main.folder.path, main.folder.fileSystem)?.trawler;
    if (because === undefined && plan.writes(packageFile)) {
      const startedAt = new Date(store.history.startedAt).toISOString();
      const runs = last === undefined ? [] : runNotes(last).filter((one) => one.startedAt !== startedAt);
      await store.folder.replace(packageFile, [
        datapackageOf(flow, store, loaded(progressOf(flow, store.history)), teller.drift(), {
          runs,
          changes: changes && sumChanges(changes),
          timing: teller.timing(),
          accounts: accounts.length === 0 ? undefined : accounts,
        }),
      ]);
    }
  }
  if (because !== undefined && kind !== 'repeat') await store.writeFailures();
  const { hits } = teller.counts();
  if (hits > 0) notice(`${countOf(hits, 'page')} came from ${responses}: asked for once, and used again`);
  const inStore = progressOf(flow, store.history);
  const told = kind === 'repeat' ? await loadedEarlier(flow, main.folder, inStore) : loaded(inStore);
  for (const message of rejectedNotices(told)) notice(message);
  const estimates = estimatesOf(store);
  const shown = because === undefined ? store : main; // the files of an update that was stopped aren't in place yet
  const headlines = plan.writes(reportFile) ? await readHeadlines(flow, shown.folder, store.state.queries) : [];
  const tables = because === undefined ? headlines.flatMap((one) => (one.kind === 'table' ? [tableIn(one)] : [])) : [];
  const summary = teller.summary({
    outDir,
    allRequests: store.history.requests,
    stages: told,
    because: overLimit === undefined ? because : `${because}; ${leftIn(told)}`,
    ...(overLimit === undefined ? {} : { overLimit }),
    already: kind === 'repeat',
    ...(first === undefined ? {} : { first }),
    ...(price === undefined ? {} : { price }),
    ...(plan.hasUpdate ? { update: true } : {}),
    ...(changes === undefined ? {} : { changes }),
    ...(estimates === undefined ? {} : { estimates }),
    ...(accounts.length === 0 ? {} : { accounts }),
    ...(tables.length === 0 ? {} : { tables }),
    ...(flow.services.length === 1 ? {} : { services: Array.from(store.state.paid, ([name, paid]) => ({ name, ...paid })) }),
    files: shown.history.files,
  });
  if (plan.writes(reportFile)) {
    const report = renderReport({
      ...summary,
      maps: teller.maps,
      remarks,
      failures: failuresByKind(store.state.queries.failed.values()),
      areas: store.state.covers.rings,
      headlines,
      previews: await previewsOf(flow, shown.folder),
      command,
    });
    await store.folder.replace(reportFile, [report]);
  }
  return summary;
}

const mostLines = 10;

/** A table as a summary shows it. */
function tableIn({ title, columns, figures, rows, more }: HeadlineTable): SummaryTable {
  const shown = rows.slice(0, mostLines);
  return { title, columns, figures, rows: shown, more: more + rows.length - shown.length };
}

/** What is left to do, in words. */
function leftIn(stages: readonly StageProgress[]): string {
  const left = stages.reduce((sum, { waiting }) => sum + waiting, 0);
  const isMore = stages.some(({ more, outcome, waiting }) => more || (outcome === 'interrupted' && waiting === 0));
  return `${isMore ? 'at least ' : ''}${countOf(left, 'query is left', 'queries are left')}`;
}

/** Adds what a run that finished earlier has loaded, without connecting to a destination: all but the rows that were rejected. */
async function loadedEarlier(flow: Flow, folder: FlowFolder, stages: readonly StageProgress[]): Promise<readonly StageProgress[]> {
  const rejected = new Map<string, number>();
  for await (const { row } of readRows(folder, rejectedFile)) {
    const { stage, to } = row as { readonly stage: string; readonly to: string };
    const id = `${stage}\0${to}`;
    rejected.set(id, (rejected.get(id) ?? 0) + 1);
  }
  return stages.map((stage) => {
    const { targets } = flow.byName.get(stage.name)!;
    const loads = targets.map(({ to }) => ({ to, waiting: 0, rejected: rejected.get(`${stage.name}\0${to}`) ?? 0 }));
    return withLoads(stage, loads);
  });
}
