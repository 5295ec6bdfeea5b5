import { join } from 'node:path';
import { BusyError } from '../errors/index.ts';
import type { FileSystem } from './FileSystem.ts';
import type { HeldLock } from './takeLock.ts';
import { takeWatchedLock } from './takeWatchedLock.ts';

/** Where a run's folder has the run's own files. */
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
