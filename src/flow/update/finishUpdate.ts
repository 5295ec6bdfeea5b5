import { join } from 'node:path';
import type { Flow } from '../definition/Flow.ts';
import { filesOf } from '../state/FlowFiles.ts';
import { changesFolder, failuresFile, packageFile, ownFolder, reportFile, updateFolder, type FlowFolder } from '../state/FlowFolder.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { marksFile } from '../state/Mark.ts';
import { mergeRows } from './mergeRows.ts';
import { type StageChanges } from '../run/FlowProgress.ts';

/** Completes the files of an update with the rows carried over. Writes and returns the changes. */
export async function completeUpdate(flow: Flow, store: FlowStore, before: FlowFolder): Promise<readonly StageChanges[]> {
  // A crash may have happened between this and the replacement.
  const isDone = store.history.finished !== undefined;
  const time = new Date(store.history.startedAt).toISOString().replaceAll(':', '-');
  const changes = isDone ? [] : await mergeRows(flow, store, before, store.folder, join(changesFolder, time));
  await store.finish();
  return changes;
}

/** Replaces the previous run by a finished update, in one step. */
export async function adoptUpdate(flow: Flow, store: FlowStore, before: FlowFolder): Promise<void> {
  const own = [...filesOf(flow), failuresFile, packageFile, reportFile, join(ownFolder, 'journal.jsonl'), marksFile];
  const files = own.filter((file) => store.has(file));
  const changes = store.folder.filesIn(changesFolder);
  await store.close();
  const gone = own.filter((file) => !files.includes(file));
  await before.adopt(updateFolder, [...files, ...changes], gone);
  await before.clear(updateFolder);
}
