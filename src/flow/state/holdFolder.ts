import { BusyError } from '../../errors/index.ts';
import { readAll } from '../../files/blocks.ts';
import { takeLock, type FileSystem, type HeldLock } from '../../sinks/index.ts';

/** A holder on another machine or in another container renews its lock three times in this time. */
const watchMs = 7000;

/**
 * Takes the lock of a run's folder. If the holder's process can't be seen from here, its lock is watched for a while,
 * because a live holder changes it. Throws a BusyError that says what to do.
 */
export async function holdFolder(lock: string, folder: string, fileSystem: FileSystem): Promise<HeldLock> {
  const before = read(lock, fileSystem);
  try {
    return takeLock(lock, fileSystem);
  } catch (error) {
    if (!(error instanceof BusyError) || error.elsewhere !== true) throw busy(folder, error);
  }
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  try {
    return takeLock(lock, fileSystem, before);
  } catch (error) {
    throw busy(folder, error);
  }
}

function busy(folder: string, error: unknown): unknown {
  if (!(error instanceof BusyError)) return error;
  return new BusyError(`${folder}: another run is under way there. ${error.message}`, { cause: error });
}

function read(path: string, fileSystem: FileSystem): string {
  try {
    return readAll(path, fileSystem).toString();
  } catch {
    return '';
  }
}
