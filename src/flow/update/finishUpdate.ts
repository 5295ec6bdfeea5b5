import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem } from '../../sinks/index.ts';
import type { Flow } from '../definition/Flow.ts';
import { filesOf } from '../state/FlowFiles.ts';
import { failuresFile, packageFile, ownFolder, reportFile, type FlowFolder } from '../state/FlowFolder.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { marksFile } from '../state/Mark.ts';
import { mergeRows, type Changes } from './mergeRows.ts';

/** Where the update of a finished run is while it is under way: a run of its own, which takes the place of that one. */
export const updateFolder: string = join(ownFolder, 'update');

/** Completes the files of an update with what is carried over, and writes down the changes. Gives them. */
export async function completeUpdate(flow: Flow, store: FlowStore, before: FlowFolder): Promise<readonly Changes[]> {
  // A crash may have come after that, and before the update took its place.
  const changes = store.history.finished === undefined ? await mergeRows(flow, store, before, store.folder, changesFolder(store)) : [];
  await store.finish();
  return changes;
}

/** Puts a finished update in the place of the run before, in one step. */
export async function adoptUpdate(flow: Flow, store: FlowStore, before: FlowFolder): Promise<void> {
  const own = [...filesOf(flow), failuresFile, packageFile, reportFile, join(ownFolder, 'journal.jsonl'), marksFile];
  const files = own.filter((file) => store.has(file));
  const changes = store.has(changesFolder(store)) ? store.folder.fileSystem.list(store.folder.at(changesFolder(store))) : [];
  await store.close();
  await before.adopt(
    updateFolder,
    [...files, ...changes.map((file) => join(changesFolder(store), file))],
    own.filter((file) => !files.includes(file)),
  );
  if (before.fileSystem === nodeFileSystem) await rm(before.at(updateFolder), { recursive: true, force: true });
}

function changesFolder(store: FlowStore): string {
  return join('changes', new Date(store.history.startedAt).toISOString().replaceAll(':', '-'));
}
