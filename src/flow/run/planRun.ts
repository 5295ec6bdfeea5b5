import { countOf } from '../../../operators/kit/countOf.ts';
import type { packageFile } from '../../files/dataPackage.ts';
import { takeOnlySince } from '../../client/flowAccess.ts';
import type { Flow } from '../definition/Flow.ts';
import { changesFolder, journalFile, updateFolder, updateJournal, type FlowFolder, type reportFile } from '../state/FlowFolder.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { lastRows, openRunFolder, outputsOf, withParts, type OpenRunFolderOptions } from '../state/openRunFolder.ts';
import type { FlowClient } from './FlowClient.ts';
import type { StageChanges } from './FlowProgress.ts';
import { journalFound } from '../core/Query.ts';
import { oldFlow } from '../state/RunHistory.ts';
import { EarlierRun } from '../update/EarlierRun.ts';
import { join } from 'node:path';
import { watermarksFile } from '../core/NewestRows.ts';
import { mergeRows } from '../update/mergeRows.ts';

/**
 * What a run does in its folder, by what it finds there. `crawl`: it requests what is left. `repeat`: everything was done
 * before, so it sends no request and only makes what is missing. `update`: everything was done before and is brought up to date,
 * by a run of its own inside the folder that takes its place at the end.
 */
export interface RunPlan {
  readonly kind: 'crawl' | 'repeat' | 'update';
  /** Where the run works. */
  readonly store: RunStorage;
  /** The run whose files are in place until `adopt`. For all but an update, the same. */
  readonly main: RunStorage;
  /** What to know before the first request. */
  readonly notices: readonly string[];
  /** An update is under way, by this run or another. */
  readonly hasUpdate: boolean;
  /**
   * Completes the files, after `settle` has completed what is loaded elsewhere. Returns what an update has changed, and why it
   * couldn't be completed.
   */
  readonly complete: (settle: Settle) => Promise<Completed>;
  /** Whether the run writes a file about itself, such as its report. */
  readonly writes: (file: typeof packageFile | typeof reportFile) => boolean;
  /** Puts what is complete in its place, after everything else. */
  readonly adopt: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type Settle = (changes: readonly StageChanges[]) => Promise<string | undefined>;

interface Completed {
  readonly changes?: readonly StageChanges[];
  readonly because?: string | undefined;
}

interface OpenRunOptions extends Omit<OpenRunFolderOptions, 'retry' | 'last' | 'replaceChanged'> {
  readonly client: FlowClient;
  readonly clients?: readonly FlowClient[] | undefined;
  readonly outDir: string;
}

/**
 * Opens the folder of a run, and decides what to do there. `keepsResponses`: responses are stored, so a changed flow may start over. Then
 * there are no failures to retry.
 */
export async function planRun(flow: Flow, options: OpenRunOptions, keepsResponses: boolean): Promise<RunPlan> {
  const replaceChanged = keepsResponses && options.resume !== false && options.failures !== true;
  const main = await openRunFolder(flow, options.outDir, { ...options, update: false, replaceChanged });
  try {
    const isFinished = main.history.finished !== undefined;
    const isUpdate = isFinished && (options.update === true || (options.failures === true && isRetried(main)));
    return isUpdate ? await planUpdate(flow, main, options) : await planCrawl(main, isFinished);
  } catch (error) {
    await main.close();
    throw error;
  }
}

async function planCrawl(main: RunStorage, isFinished: boolean): Promise<RunPlan> {
  const begun = await updateUnderWay(main);
  return {
    kind: isFinished ? 'repeat' : 'crawl',
    store: main,
    main,
    notices: [...main.notices, ...(begun === undefined ? [] : [begun])],
    hasUpdate: begun !== undefined,
    async complete(settle) {
      const because = await settle([]);
      if (because === undefined) await main.finish();
      return { because };
    },
    writes: (file) => !isFinished || !main.folder.has(file),
    adopt: () => Promise.resolve(),
    close: () => main.close(),
  };
}

async function planUpdate(flow: Flow, main: RunStorage, options: OpenRunOptions): Promise<RunPlan> {
  await main.finish(); // its files may lack their names after a crash, and are to be whole while the update runs
  const store = await openUpdate(flow, main, options);
  // Stored responses from before the update are out of date.
  const clients = [options.client, ...(options.clients ?? [])];
  const ends = clients.map((client) => takeOnlySince(client, store.history.startedAt));
  return {
    kind: 'update',
    store,
    main,
    notices: [...main.notices, ...store.notices],
    hasUpdate: true,
    complete: (settle) => completeUpdate(flow, store, main.folder, settle),
    writes: () => true,
    adopt: () => adoptUpdate(flow, store, main),
    async close() {
      for (const end of ends) end();
      await store.close();
      await main.close();
    },
  };
}

/** Starts or resumes the update of a finished run. */
async function openUpdate(
  flow: Flow,
  main: RunStorage,
  options: Pick<OpenRunFolderOptions, 'update' | 'failures' | 'repair' | 'fileSystem'>,
): Promise<RunStorage> {
  const { fileSystem, repair } = options;
  const { failed, short } = main.state.queries;
  const retry = {
    at: main.history.seenAt,
    failed: Array.from(failed.values(), ({ query }) => journalFound(flow, query)),
    short: Array.from(short.values(), ({ query }) => journalFound(flow, query)),
  };
  const store = await openRunFolder(flow, main.folder.at(updateFolder), {
    update: true,
    failures: options.failures === true && main.hasUpdate,
    retry: options.update === true || main.hasUpdate ? undefined : retry,
    repair,
    fileSystem,
    last: lastRows(main.folder),
  });
  try {
    store.earlier = await EarlierRun.load(flow, main.folder, store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Whether failures are retried by an update: one is under way, or the finished run is an update that has failures. */
function isRetried({ hasUpdate, history, hasFailures }: RunStorage): boolean {
  return hasUpdate || (history.update && hasFailures);
}

/** A notice about an unfinished update that this run doesn't touch. */
async function updateUnderWay({ folder }: RunStorage): Promise<string | undefined> {
  const update = await oldFlow(folder.at(updateJournal), folder.fileSystem);
  if (update === undefined) return undefined;
  const pages = countOf(update.pages, 'page');
  return (
    `an update of ${new Date(update.at).toISOString()} isn't finished; it has ${pages} so far. The files are as they were before ` +
    `it. Finish it with the option 'update'`
  );
}

/** Completes the files of an update with the rows carried over. Writes and returns the changes. */
async function completeUpdate(flow: Flow, store: RunStorage, before: FlowFolder, settle: Settle): Promise<Completed> {
  // After a crash, the rows may be merged already.
  const isDone = store.history.finished !== undefined;
  const time = new Date(store.history.startedAt).toISOString().replaceAll(':', '-');
  const changes = isDone ? [] : await mergeRows(flow, store, before, join(changesFolder, time));
  await store.files.flush();
  const because = await settle(changes);
  if (because !== undefined) return { because };
  await store.finish();
  return { changes };
}

/** Replaces the previous run by a finished update, in one step. */
async function adoptUpdate(flow: Flow, store: RunStorage, main: RunStorage): Promise<void> {
  const own = [...outputsOf(flow), journalFile, watermarksFile];
  const files = own.filter((file) => store.folder.has(file));
  const changes = store.folder.filesIn(changesFolder);
  await store.close();
  main.closeJournal();
  // A crash may have left files of the previous run under their working names too.
  const gone = withParts(own).filter((file) => !files.includes(file));
  await main.folder.move({ from: updateFolder, to: '', files: [...files, ...changes], remove: gone });
  main.folder.clear(updateFolder);
}
