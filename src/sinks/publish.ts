import { dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import type { FileSystem } from './FileSystem.ts';
import { sinkFault, systemCode } from './sinkFault.ts';

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);

/**
 * Gives a finished and synced part its name, in one step, and waits until the name is safe from a power cut. Another
 * file of that name is replaced only with `replace`. Doing it again after a crash half-way is no error.
 */
export async function publish(part: string, target: string, replace: boolean, fileSystem: FileSystem): Promise<void> {
  try {
    if (replace) fileSystem.rename(part, target);
    else await linkAnew(part, target, fileSystem);
    await fileSystem.syncFolder(dirname(target));
  } catch (error) {
    throw sinkFault(target, 'giving the file its name', error);
  }
}

async function linkAnew(part: string, target: string, fileSystem: FileSystem): Promise<void> {
  try {
    fileSystem.link(part, target);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') {
      if (fileSystem.stat(part)?.id !== fileSystem.stat(target)?.id) throw taken(target, error);
    } else if (withoutLinks.has(code)) {
      // no second names on this file system; between the look and the step somebody could come, but no one of us
      if (fileSystem.stat(target, false) !== undefined) throw taken(target, error);
      fileSystem.rename(part, target);
      return;
    } else throw error;
  }
  // without this a power cut could undo the new name, and not the removal of the old one
  await fileSystem.syncFolder(dirname(target));
  fileSystem.unlink(part);
}

function taken(target: string, cause: unknown): SinkError {
  return new SinkError(`${target}: somebody else made a file of that name while this one was written`, { cause });
}
