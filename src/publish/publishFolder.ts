import { randomBytes } from 'node:crypto';
import { dayMs } from '../../operators/kit/days.ts';
import { callback, declareOptions, flag, having, signal, whole } from '../../operators/options/index.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { commit } from './commit.ts';
import { checkTarget } from './checkTarget.ts';
import {
  type VersionPlan,
  reservationName,
  type Published,
  nameFor,
  namesOf,
  readPublished,
  type Version,
  versionName,
} from './Published.ts';
import type { PublishTarget } from './PublishTarget.ts';
import { type FinishedFolder, holdFolder, type LocalFile, readFolder } from './readFolder.ts';
import { showNewest } from './showNewest.ts';
import { uploadFile } from './uploadFile.ts';

export interface PublishOptions {
  /** Versions that stay at the target. Older ones are removed. @default 7 */
  readonly keep?: number | undefined;
  /** Publish although there are other files, or the dataset of another flow. @default false */
  readonly intoExisting?: boolean | undefined;
  /** Files in flight. Files of several parts go one after the other, with four parts in flight. @default 4 */
  readonly concurrency?: number | undefined;
  /** Files larger than this are uploaded to S3 in parts of this size. S3 takes no less than 5 MiB. @default 8388608 */
  readonly partBytes?: number | undefined;
  /** Stops between two blocks of a file. The same call resumes: files that are there aren't sent again. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Gets each event. @default nobody */
  readonly tell?: ((event: PublishEvent) => void) | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
  /** @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

export type PublishEvent =
  /** `bytes` were sent or are kept, of all bytes (`of`). */
  | { readonly type: 'progress'; readonly bytes: number; readonly of: number }
  /** `kept`: the target had it from the version before. */
  | { readonly type: 'file'; readonly name: string; readonly bytes: number; readonly kept: boolean }
  | { readonly type: 'notice'; readonly message: string };

export interface PublishReport {
  /** Counts the versions of this target. */
  readonly version: number;
  /** Of the run: `complete`, `capped`, `short`, `doubtful` or `failed`. */
  readonly outcome: string;
  /** The same folder was published before. */
  readonly already: boolean;
  /** Files and bytes that were uploaded, and those that the target had. */
  readonly uploaded: { readonly files: number; readonly bytes: number };
  readonly kept: { readonly files: number; readonly bytes: number };
  /** Old versions that were removed. */
  readonly removed: number;
}

const publishOptions = declareOptions<PublishOptions>()({
  keep: whole({ from: 1 }).or(7),
  intoExisting: flag().or(false),
  concurrency: whole({ from: 1, to: 64 }).or(4),
  partBytes: whole({ from: 5_242_880, finite: true }).or(8_388_608),
  signal: signal(),
  tell: callback<(event: PublishEvent) => void>().or(() => undefined),
  now: callback<() => number>().or(Date.now),
  fileSystem: having<FileSystem>('a file system', 'open').or(nodeFileSystem),
});

/**
 * Publishes the folder of a finished run. All files arrive under names that are new, and are compared with those on the disk.
 * Then `datapackage.json` is swapped in one step. A reader who opens it finds all its files, whoever else publishes, and
 * whenever this process is killed. Called again it resumes.
 */
export async function publishFolder(folder: string, target: PublishTarget, options: PublishOptions = {}): Promise<PublishReport> {
  const set = publishOptions.read('publishFolder', options);
  const release = await holdFolder(folder, set.fileSystem);
  try {
    const finished = await readFolder(folder, set);
    const published = await checkTarget(target, finished.dataPackage.trawler.flow, set.intoExisting);
    if (published.versions.at(-1)?.digest === finished.digest) {
      const { version } = await showNewest(target);
      return { ...reportOf(finished, [], version), already: true, removed: await removeOld(target, set.keep, set.now()) };
    }
    const reservation = await reserve(target, finished, published, set.now());
    if (!target.knowsConditions) set.tell({ type: 'notice', message: unconditional });
    const { names, uploaded } = await upload(target, finished, reservation, published, set);
    const version = await commit(target, reservation, finished, names, { base: published.versions.at(-1)?.version ?? 0, now: set.now() });
    return { ...reportOf(finished, uploaded, version), removed: await removeOld(target, set.keep, set.now()) };
  } finally {
    release();
  }
}

const unconditional =
  'This server has no conditional writes. Readers still find whole datasets only, but of two publishers at the same time either one may win: run one at a time';

/** The reservation of an earlier try with the same folder, or a new one. */
async function reserve(
  target: PublishTarget,
  { digest, files }: FinishedFolder,
  { reservations }: Published,
  now: number,
): Promise<VersionPlan> {
  const earlier = reservations.find((reservation) => reservation.digest === digest && reservation.abandoned === undefined);
  if (earlier !== undefined) return earlier;
  const at = new Date(now).toISOString();
  const id = `${at.replaceAll(/[-:]|\..*/g, '')}-${randomBytes(4).toString('hex')}`;
  const reservation: VersionPlan = { id, digest, at, files: files.map(({ name }) => name) };
  await target.swap(reservationName(id), JSON.stringify(reservation), undefined);
  return reservation;
}

interface Uploaded {
  /** Where each file is. */
  readonly names: ReadonlyMap<LocalFile, string>;
  readonly uploaded: readonly LocalFile[];
}

interface UploadSettings {
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
  readonly tell: (event: PublishEvent) => void;
  readonly fileSystem: FileSystem;
}

/** Uploads what the newest version doesn't have. Only its files may be used again: those of older ones may be about to go. */
async function upload(
  target: PublishTarget,
  { files }: FinishedFolder,
  { id }: VersionPlan,
  { versions }: Published,
  { concurrency, signal, tell, fileSystem }: UploadSettings,
): Promise<Uploaded> {
  const known = new Map(versions.at(-1)?.stored.map(({ name, sha256 }) => [sha256, name]));
  const of = files.reduce((sum, { print }) => sum + print.bytes, 0);
  const names = new Map<LocalFile, string>();
  const uploaded: LocalFile[] = [];
  let bytes = 0;
  const bring = async (file: LocalFile): Promise<void> => {
    signal?.throwIfAborted();
    const there = known.get(file.print.sha256);
    const kept = there !== undefined && (await target.holds(there, file.print));
    const sent = (more: number): void => tell({ type: 'progress', bytes: (bytes += more), of });
    const name = kept ? there : nameFor(id, file.name);
    if (kept) sent(file.print.bytes);
    else await uploadFile(target, name, file, { fileSystem, signal, sent });
    names.set(file, name);
    if (!kept) uploaded.push(file);
    tell({ type: 'file', name: file.name, bytes: file.print.bytes, kept });
  };
  const isLarge = ({ print }: LocalFile): boolean => print.md5s.length > 1;
  await inParallel(
    files.filter((file) => !isLarge(file)),
    concurrency,
    bring,
  );
  await inParallel(files.filter(isLarge), 1, bring);
  return { names, uploaded };
}

function reportOf({ dataPackage, files }: FinishedFolder, uploaded: readonly LocalFile[], version: number): Omit<PublishReport, 'removed'> {
  const count = (some: readonly LocalFile[]): PublishReport['kept'] => ({
    files: some.length,
    bytes: some.reduce((sum, { print }) => sum + print.bytes, 0),
  });
  const kept = files.filter((file) => !uploaded.includes(file));
  return { version, outcome: dataPackage.trawler.outcome, already: false, uploaded: count(uploaded), kept: count(kept) };
}

/** Reservations of this age are abandoned. */
const abandonedMs = 7 * dayMs;

/**
 * Removes all versions but the newest `keep`, the reservations that were committed, and what abandoned reservations wrote. It removes
 * only names that versions and reservations have, and none that a version needs which stays. Names are never used again, so it doesn't matter
 * if a paused process removes them late. Returns the number of removed versions.
 */
async function removeOld(target: PublishTarget, keep: number, now: number): Promise<number> {
  const { versions, reservations } = await readPublished(target);
  const old = versions.slice(0, -keep);
  const needed = new Set(versions.slice(-keep).flatMap(namesOf));
  await removeNames(target, old, needed);
  for (const { version } of old) await target.remove(versionName(version)); // last: a kill before it leaves a list of what to remove
  for (const reservation of reservations) {
    const committed = versions.some(({ id }) => id === reservation.id);
    if (committed) await target.removeUploads(`data/${reservation.id}/`); // two publishers of the same folder may have begun a file twice
    if (committed) await target.remove(reservationName(reservation.id));
    else if (now - Date.parse(reservation.at) > abandonedMs) await removeReservation(target, reservation);
  }
  return old.length;
}

/** Removes an abandoned reservation. Its publisher may be alive, and can't commit from now on. If it has committed before, nothing is removed. */
async function removeReservation(target: PublishTarget, reservation: VersionPlan): Promise<void> {
  const name = reservationName(reservation.id);
  const found = await target.read(name);
  if (found === undefined) return;
  const text = JSON.stringify({ ...reservation, abandoned: true } satisfies VersionPlan);
  if (found.text !== text && !(await target.swap(name, text, found.tag))) return;
  const { versions } = await readPublished(target);
  if (versions.some(({ id }) => id === reservation.id)) return;
  await target.removeUploads(`data/${reservation.id}/`);
  await removeNames(target, [reservation], new Set(versions.flatMap(namesOf)));
  await target.remove(name);
}

async function removeNames(target: PublishTarget, entries: readonly (VersionPlan | Version)[], needed: ReadonlySet<string>): Promise<void> {
  for (const name of new Set(entries.flatMap(namesOf))) if (!needed.has(name)) await target.remove(name);
}

/** Works on all items, `count` at a time. After a failure no other item begins. The failure is thrown once all work has ended. */
async function inParallel<T>(items: Iterable<T>, count: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failed = false;
  const runner = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && !failed; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  for (const one of await Promise.allSettled(Array.from({ length: count }, runner))) if (one.status === 'rejected') throw one.reason;
}
