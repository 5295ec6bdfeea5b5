import type { Flow } from '../definition/Flow.ts';
import { journalFound } from '../run/takePage.ts';
import {
  updateFolder,
  updateJournal,
  changesFolder,
  failuresFile,
  packageFile,
  ownFolder,
  reportFile,
  type FlowFolder,
} from '../state/FlowFolder.ts';
import { FlowStore, type FlowStoreOptions } from '../state/FlowStore.ts';
import { oldFlow } from '../state/oldFlow.ts';
import { EarlierRun } from './EarlierRun.ts';
import { join } from 'node:path';
import { filesOf } from '../state/FlowFiles.ts';
import { watermarksFile } from '../state/Watermark.ts';
import { mergeRows } from './mergeRows.ts';
import { type StageChanges } from '../run/FlowProgress.ts';

/** Starts or resumes the update of a finished run. */
export async function openUpdate(
  flow: Flow,
  main: FlowStore,
  options: Pick<FlowStoreOptions, 'update' | 'failures' | 'repair' | 'fileSystem'>,
): Promise<FlowStore> {
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
    store.earlier = await EarlierRun.load(flow, main.folder);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Whether an update retries what failed: it resumes one, or gets the rows that another update had to leave unchanged. */
export function isRetried({ folder, history, hasFailures }: FlowStore): boolean {
  return folder.hasUpdate || (history.update && hasFailures);
}

/** What to know of an update that isn't finished, where the run leaves it alone. */
export async function updateUnderWay({ folder }: FlowStore): Promise<string | undefined> {
  const update = folder.hasUpdate ? await oldFlow(folder.at(updateJournal), folder.fileSystem) : undefined;
  if (update === undefined) return undefined;
  const pages = `${update.pages} ${update.pages === 1 ? 'page' : 'pages'}`;
  return `an update of ${new Date(update.at).toISOString()} isn't finished; it has ${pages} so far. The files are as they were before it. Finish it with the option 'update'`;
}

/** Completes the files of an update with the rows carried over. Writes and returns the changes. */
export async function completeUpdate(flow: Flow, store: FlowStore, before: FlowFolder): Promise<readonly StageChanges[]> {
  // A crash may have happened between this and the replacement.
  const isDone = store.history.finished !== undefined;
  const time = new Date(store.history.startedAt).toISOString().replaceAll(':', '-');
  const changes = isDone ? [] : await mergeRows(flow, store, before, join(changesFolder, time));
  await store.finish();
  return changes;
}

/** Replaces the previous run by a finished update, in one step. */
export async function adoptUpdate(flow: Flow, store: FlowStore, before: FlowFolder): Promise<void> {
  const own = [...filesOf(flow), failuresFile, packageFile, reportFile, join(ownFolder, 'journal.jsonl'), watermarksFile];
  const files = own.filter((file) => store.has(file));
  const changes = store.folder.filesIn(changesFolder);
  await store.close();
  // A crash may have left files of the previous run under their working names too.
  const gone = [...own.filter((file) => !files.includes(file)), ...own.map((file) => `${file}.part`)];
  await before.adopt(updateFolder, [...files, ...changes], gone);
  before.clear(updateFolder);
}
