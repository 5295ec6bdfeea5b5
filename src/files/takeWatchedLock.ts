import { BusyError } from '../errors/index.ts';
import { readAll } from './blocks.ts';
import type { FileSystem } from './FileSystem.ts';
import { type HeldLock, takeLock } from './takeLock.ts';

/** A holder on another machine or in another container renews its lock three times in this time. */
const watchMs = 7000;

/**
 * Takes the lock file at `path`. If the holder's process can't be seen from here, its lock is watched for a while, because a
 * live holder changes it. Throws a BusyError that names the holder.
 */
export async function takeWatchedLock(path: string, fileSystem: FileSystem): Promise<HeldLock> {
  const before = read(path, fileSystem);
  try {
    return takeLock(path, fileSystem);
  } catch (error) {
    if (!(error instanceof BusyError) || error.elsewhere !== true) throw error;
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
