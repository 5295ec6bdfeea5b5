import { dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import type { FileSystem } from './FileSystem.ts';
import { sinkFault, systemCode } from './sinkFault.ts';

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);

/**
 * Gives a finished and synced part its name, in one step, and waits until the name is safe from a power cut. Another
 * file of that name is replaced only with `replace`. Doing it again after a crash half-way is no error. True when the
 * part still has its old name too; it may go now, and not earlier: a power cut could undo the new name only.
 */
export async function publish(part: string, target: string, replace: boolean, fileSystem: FileSystem): Promise<boolean> {
  try {
    const both = !replace && linked(part, target, fileSystem);
    if (!both) fileSystem.rename(part, target);
    try {
      await fileSystem.syncFolder(dirname(target));
    } catch (error) {
      if (both) fileSystem.unlink(target); // what failed leaves nothing at the path
      throw error;
    }
    return both;
  } catch (error) {
    throw sinkFault(target, 'giving the file its name', error);
  }
}

/** Whether the file has a second name now; false where the file system knows none and the name is free. */
function linked(part: string, target: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.link(part, target);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST' && fileSystem.stat(part)?.id === fileSystem.stat(target)?.id) return true;
    if (code === 'EEXIST' || (withoutLinks.has(code) && fileSystem.stat(target, false) !== undefined)) throw taken(target, error);
    if (withoutLinks.has(code)) return false; // until the rename another program could come, but no one of us: we hold the lock
    throw error;
  }
}

function taken(target: string, cause: unknown): SinkError {
  return new SinkError(`${target}: somebody else made a file of that name while this one was written`, { cause });
}

/** Removes a name that is of no use any more, if it is there and can be removed; false when it stays. */
export function discard(path: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.unlink(path);
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}
