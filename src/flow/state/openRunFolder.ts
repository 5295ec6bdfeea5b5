import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { countOf, formatCount } from '../../../operators/kit/countOf.ts';
import { FlowError } from '../../errors/index.ts';
import { packageFile, readDataPackage } from '../../files/dataPackage.ts';
import type { FileSystem } from '../../sinks/index.ts';
import type { Flow } from '../definition/Flow.ts';
import { findDamage, type Damage } from './findDamage.ts';
import { FlowFiles, filesOf } from './FlowFiles.ts';
import { changesFolder, emptyFile, failuresFile, FlowFolder, journalFile, rejectedFile, reportFile, updateFolder } from './FlowFolder.ts';
import { flowChanges, RunHistory, oldFlow } from './RunHistory.ts';
import { RunStorage } from './RunStorage.ts';
import { Journal } from './Journal.ts';
import { decideResumed } from '../core/decide.ts';
import { isUnsynced, journalVersion, type Retry } from '../core/events.ts';
import { watermarksFile } from '../core/NewestRows.ts';

export interface OpenRunFolderOptions {
  readonly resume?: boolean | undefined;
  readonly fresh?: boolean | undefined;
  readonly failures?: boolean | undefined;
  readonly repair?: boolean | undefined;
  /** This run updates a finished one. */
  readonly update?: boolean | undefined;
  /** It requests only these queries. */
  readonly retry?: Retry | undefined;
  /** Rows of each stage in the previous run, if that is in another folder. */
  readonly last?: RunHistory['last'];
  /** The folder of the run that was moved aside for this one. */
  readonly replaces?: string | undefined;
  /** Move a run of an older version of the flow aside, as `fresh` does. Its responses are in the store. */
  readonly replaceChanged?: boolean | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Locks a folder and restores it to the last commit, or begins a run in it. Throws if another run is in it, if it belongs to
 * another flow, or if it contains files that no journal knows.
 */
export async function openRunFolder(flow: Flow, outDir: string, options: OpenRunFolderOptions = {}): Promise<RunStorage> {
  const fileSystem = options.fileSystem ?? flow.fileSystem;
  const retriesOnly = options.failures === true && options.retry === undefined;
  if (retriesOnly && fileSystem.stat(join(outDir, journalFile)) === undefined) throw noRun(outDir); // before anything is made
  const folder = await FlowFolder.open(outDir, fileSystem);
  const files = new FlowFiles(flow, folder);
  const notices: string[] = [];
  let journal: Journal | undefined;
  try {
    const before = await startOver(flow, folder, options, notices);
    if (folder.lock.takenOver) await renew(folder, outputsOf(flow));
    journal = Journal.open(folder.at(journalFile), folder.fileSystem);
    const history = await recover(flow, folder, journal, options, notices);
    const store = new RunStorage(flow, { folder, files, journal, history, notices });
    if (!store.resumed) await begin(flow, store, { ...options, ...before, last: options.last ?? before.last });
    else if (options.resume === false)
      throw new FlowError(
        `${folder.path}: an earlier run is there. Resume it (resume), or start over with fresh, which moves its files aside`,
      );
    else if (journal.seq === 1) {
      // The process that began it may have been killed before it synced. A power cut must not leave files without a journal.
      await journal.sync();
      await folder.sync();
    }
    // Also if the flow isn't finished: then failed queries run with the rest.
    // Failures of a finished update are retried by another update, because rows that it kept may have changed.
    const isUpdated = history.finished !== undefined && (history.update || store.hasUpdate);
    if (options.failures === true && store.hasFailures && !isUpdated) await store.append({ type: 'reopen', at: Date.now() });
    await files.open(history.finished, history.positions);
    store.apply(decideResumed(store));
    if (history.unsynced) await store.commit({ requests: 0 });
    return store;
  } catch (error) {
    await files.close();
    journal?.close();
    folder.close();
    throw error;
  }
}

/** What a run leaves in its folder. */
export function outputsOf(flow: Flow): readonly string[] {
  return [...filesOf(flow), failuresFile, emptyFile, rejectedFile, packageFile, reportFile];
}

/** Files by their final names and by those that they have while they are written. */
export function withParts(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => [file, `${file}.part`]);
}

/** Rows of each stage, as the datapackage.json of the last finished run says. */
export function lastRows(folder: FlowFolder): RunHistory['last'] {
  const found = readDataPackage(folder.path, folder.fileSystem);
  return found && Object.fromEntries(found.trawler.stages.map(({ name, rows }) => [name, rows]));
}

/** Moves an earlier run into a numbered folder, where that is wanted. Returns how many rows it has, and the folder. */
async function startOver(
  flow: Flow,
  folder: FlowFolder,
  { fresh = false, replaceChanged = false }: OpenRunFolderOptions,
  notices: string[],
): Promise<Pick<RunHistory, 'last'> & { readonly replaces?: string }> {
  const old = fresh || replaceChanged ? await oldFlow(folder.at(journalFile), folder.fileSystem) : undefined;
  const changed = replaceChanged && old?.name === flow.name && old.digest !== flow.digest;
  if (!fresh && !changed) return { last: undefined };
  const last = lastRows(folder);
  const inside = [updateFolder, changesFolder];
  const own = [...(old?.outputs ?? []), ...outputsOf(flow), watermarksFile, ...inside.flatMap((one) => folder.filesIn(one))];
  const files = [...new Set([journalFile, ...withParts(own)])].filter((file) => folder.has(file));
  if (changed)
    notices.push(`the flow was changed: ${flowChanges(old.definition, flow.definition)}. It starts over, and takes what is stored`);
  if (files.length === 0) return { last };
  const to = folder.unusedName('old');
  await folder.move({ from: '', to, files, remove: [] });
  for (const one of inside) folder.clear(one);
  notices.push(`the files of an earlier run were moved to ${folder.at(to)}`);
  return { last, replaces: to };
}

/**
 * Replaces files by copies of them, because the process that had the folder before may wake and write to those that it has
 * open. The journal comes first: what its records count is then in the copies too.
 */
async function renew(folder: FlowFolder, files: readonly string[]): Promise<void> {
  const idOf = (file: string): string | undefined => folder.fileSystem.stat(folder.at(file), false)?.id;
  // A working file that also has its final name is complete, and nobody writes to it.
  const parts = files.filter((file) => idOf(`${file}.part`) !== idOf(file)).map((file) => `${file}.part`);
  for (const file of [journalFile, ...parts].filter((one) => folder.has(one))) await folder.copy(file, file);
}

/** Reads the journal, and leaves the folder as it was at the last commit. */
async function recover(
  flow: Flow,
  folder: FlowFolder,
  journal: Journal,
  { repair = false, failures = false }: OpenRunFolderOptions,
  notices: string[],
): Promise<RunHistory> {
  const history = new RunHistory(flow, folder.path);
  let synced = 0;
  const tail = await journal.replay((record, { seq }) => {
    history.replay(record);
    if (record.type !== 'reopen' && !isUnsynced(record)) synced = seq;
  });
  const damage = await findDamage(flow, folder, journal, history, tail);
  // What is lost was never reported as safe.
  if (damage !== undefined && tail?.torn !== false && damage.position.seq >= synced) return cutBack(flow, folder, journal, damage);
  if (damage !== undefined && repair) return goBack(flow, folder, journal, damage, notices);
  if (damage !== undefined) {
    // changed files of a finished run that stays as it is are only reported
    if (history.finished === undefined || failures || tail?.torn === false) throw new FlowError(damageMessage(folder.path, damage));
    notices.push(`${damage.faults.join('; ')}. The run was finished before, so this may be meant`);
  }
  if (tail !== undefined) await journal.cut();
  return history;
}

/** Goes back to the last record that all files match. The current content is copied first. */
async function goBack(flow: Flow, folder: FlowFolder, journal: Journal, damage: Damage, notices: string[]): Promise<RunHistory> {
  const files = withParts(outputsOf(flow));
  const copies = folder.unusedName('damaged');
  for (const file of [journalFile, ...files]) if (folder.has(file)) await folder.copy(file, join(copies, file));
  await folder.sync();
  notices.push(`${damage.faults.join('; ')}. ${costOf(damage)}; a copy of everything as it was is in ${copies}`);
  const history = await cutBack(flow, folder, journal, damage);
  if (damage.position.seq === 0) for (const file of files) await folder.remove(file);
  return history;
}

async function cutBack(flow: Flow, folder: FlowFolder, journal: Journal, { position }: Damage): Promise<RunHistory> {
  await journal.cut(position);
  const history = new RunHistory(flow, folder.path);
  await journal.replay((record) => history.replay(record));
  return history;
}

function damageMessage(folder: string, damage: Damage): string {
  return (
    `${folder} is damaged: ${damage.faults.join('; ')}. Nothing was changed and nothing was requested. With 'repair' the run ` +
    `resumes at the last complete commit: ${costOf(damage)}. A copy of everything as it is now is kept`
  );
}

function costOf({ pages, of, requests, unread }: Damage): string {
  return (
    `${unread ? 'at least ' : ''}${formatCount(pages)} of ${formatCount(of)} pages are requested again, about ` +
    countOf(requests, 'request')
  );
}

function noRun(folder: string): FlowError {
  return new FlowError(`${folder}: there is no run whose failures could be retried`);
}

/** Whether it covers areas that may stand in files beside it. */
function readsAreas({ stages }: Flow): boolean {
  return stages.some(({ definition: { cover, grid } }) => [cover, grid].some((area) => typeof area?.within === 'string'));
}

/** Begins the journal of a new run. */
async function begin(flow: Flow, store: RunStorage, { update, failures, retry, last, replaces }: OpenRunFolderOptions): Promise<void> {
  const { folder } = store;
  const outputs = outputsOf(flow);
  const left = withParts(update === true ? outputs : outputs.filter((file) => file !== reportFile)).filter((file) => folder.has(file));
  if (update === true) for (const file of left) await folder.remove(file);
  else if (left.length > 0)
    throw new FlowError(
      `${folder.path} has ${left.join(', ')} already, and no journal that says where they come from. Choose another folder, or start ` +
        `over with fresh, which moves them aside`,
    );
  if (failures === true && retry === undefined) throw noRun(folder.path);
  const { name, digest } = flow;
  const { service: _, ...definition } = flow.definition; // may be a module
  const isUpdate = update === true ? { update } : {};
  await store.append({
    type: 'flow',
    version: journalVersion,
    name,
    digest,
    at: Date.now(),
    definition,
    ...(readsAreas(flow) ? { from: relative(join(folder.path, update === true ? '../..' : '.'), flow.folder) } : {}),
    last,
    ...isUpdate,
    retry,
    outputs,
    replaces,
    run: flow.stages.some(({ targets }) => targets.length > 0) ? randomUUID() : undefined,
  });
  await folder.sync();
}
