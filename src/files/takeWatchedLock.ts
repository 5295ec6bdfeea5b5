import { BusyError } from '../errors/index.ts';
import { readAll } from './blocks.ts';
import type { FileSystem } from './FileSystem.ts';
import { type HeldLock, takeLock } from './takeLock.ts';
import { join } from 'node:path';

/** How long a lock is watched. A live holder writes three beats in this time. */
const watchMs = 7000;

/**
 * Takes the lock file at `path`. If it can't be seen whether the holder is alive, its lock is watched for seven seconds, and taken over
 * if no beat was written. Throws a BusyError that names the holder.
 */
export async function takeWatchedLock(path: string, fileSystem: FileSystem): Promise<HeldLock> {
  const before = read(path, fileSystem);
  try {
    return takeLock(path, fileSystem);
  } catch (error) {
    if (!(error instanceof BusyError) || error.unseen !== true) throw error;
  }
  await new Promise<void>((resolve) => fileSystem.process.after(watchMs, resolve));
  return takeLock(path, fileSystem, before);
}

function read(path: string, fileSystem: FileSystem): string {
  try {
    return readAll(path, fileSystem).toString();
  } catch {
    return '';
  }
}

/** The folder inside of a run's folder that holds the run's own files. */
export const ownFolder = '.trawler';

/** The lock of a run's folder. */
export function runLock(folder: string): string {
  return join(folder, ownFolder, 'run.lock');
}

/** Takes the lock of a run's folder. Throws a BusyError that names the process using it. */
export async function holdRun(folder: string, fileSystem: FileSystem): Promise<HeldLock> {
  try {
    return await takeWatchedLock(runLock(folder), fileSystem);
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    throw new BusyError(`${folder}: another run is under way there. ${error.message}`, { cause: error });
  }
}

/**
 * Uses something and closes it. If both fail, it throws the first error, which says why. `await using` would hide that one in an error
 * without a message.
 */
export async function closeAfter<T extends AsyncDisposable, R>(open: T, use: (open: T) => Promise<R>): Promise<R> {
  let result: R;
  try {
    result = await use(open);
  } catch (error) {
    await open[Symbol.asyncDispose]().then(undefined, () => undefined);
    throw error;
  }
  await open[Symbol.asyncDispose]();
  return result;
}
